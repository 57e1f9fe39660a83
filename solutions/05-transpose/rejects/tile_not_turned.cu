// verdict: wrong-answer
// explains: input-copied, tiles-exchanged
// The tile goes to the right place, but as it was.
#include <tilelab/device.cuh>

constexpr int tile = 32;
constexpr int rows = 8;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, rows)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float turning[tile][tile + 1];
  const int left = blockIdx.x * tile, top = blockIdx.y * tile;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < tile; y += rows) {
    turning[y][x] = top + y < M && left + x < N ? in[(top + y) * N + left + x] : 0.0f;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < tile; y += rows) {
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[y][x];
  }
}
