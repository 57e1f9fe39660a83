// verdict: out-of-bounds
// The row above the first one is loaded as well.
#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig smooth_launch(int M, int N) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, tile)};
}

__global__ void smooth(const float* in, float* out, int M, int N) {
  __shared__ float near[tile + 2][tile + 2];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  const int y = threadIdx.y + 1, x = threadIdx.x + 1;
  if (row < M && column < N) {
    near[y][x] = in[row * N + column];
    if (threadIdx.y == 0) near[0][x] = in[(row - 1) * N + column];
    if (threadIdx.y == tile - 1 && row + 1 < M) near[tile + 1][x] = in[(row + 1) * N + column];
    if (threadIdx.x == 0 && column > 0) near[y][0] = in[row * N + column - 1];
    if (threadIdx.x == tile - 1 && column + 1 < N) near[y][tile + 1] = in[row * N + column + 1];
  }
  __syncthreads();
  if (row >= M || column >= N) return;
  const bool is_edge = row == 0 || row == M - 1 || column == 0 || column == N - 1;
  out[row * N + column] = is_edge ? near[y][x] : (near[y - 1][x] + near[y + 1][x] + near[y][x - 1] + near[y][x + 1]) / 4;
}
