// verdict: wrong-answer
// explains: part-unwritten
// The grid is made for `out`, the kernel takes its blocks for tiles of `in`.
#include <tilelab/device.cuh>

constexpr int tile = 32;
constexpr int rows = 8;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((M + tile - 1) / tile, (N + tile - 1) / tile), dim3(tile, rows)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float turning[tile][tile + 1];
  const int left = blockIdx.x * tile, top = blockIdx.y * tile;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < tile; y += rows) {
    if (top + y < M && left + x < N) turning[y][x] = in[(top + y) * N + left + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < tile; y += rows) {
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[x][y];
  }
}
