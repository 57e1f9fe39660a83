// mistake: verdict=wrong-answer; line=20; says=""; searched
#include <tilelab/device.cuh>

constexpr int side = 32, rows = 8;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(side, rows)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float tile[side][side + 1];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < side; y += rows) {
    if (top + y < M && left + x < N) tile[y][x] = in[(top + y) * N + left + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < side; y += rows) {
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = tile[y][x];
  }
}
