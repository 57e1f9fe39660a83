// verdict: barrier-divergence
// Threads past the edge never come to the barrier.
#include <tilelab/device.cuh>

constexpr int tile = 16;
constexpr int rows = tile;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, rows)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float turning[tile][tile + 1];
  const int left = blockIdx.x * tile, top = blockIdx.y * tile;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  if (top + y < M && left + x < N) {
    turning[y][x] = in[(top + y) * N + left + x];
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[x][y];
}
