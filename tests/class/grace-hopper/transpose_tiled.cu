// A few blocks walk over all tiles, with a barrier before a tile is overwritten.
#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) { return {dim3(6), dim3(tile, tile)}; }

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float turning[tile][tile + 1];
  const int across = (N + tile - 1) / tile, down = (M + tile - 1) / tile;
  const int x = threadIdx.x, y = threadIdx.y;
  for (int n = blockIdx.x; n < across * down; n += gridDim.x) {
    const int left = n % across * tile, top = n / across * tile;
    if (top + y < M && left + x < N) turning[y][x] = in[(top + y) * N + left + x];
    __syncthreads();
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[x][y];
    __syncthreads();
  }
}
