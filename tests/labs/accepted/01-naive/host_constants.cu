// Constants and functions of the host that the launch function and the kernel use: nvcc warns of some, and refuses others where it compiles
// for the GPU alone.
#include <algorithm>
#include <tilelab/device.cuh>

struct Tile {
  int x, y;
};
constexpr Tile tile = {16, 8};
const int step = 16;
constexpr auto div_up = [](int a, int b) { return (a + b - 1) / b; };
constexpr auto at = [](int row, int col, int width) { return row * width + col; };

static int blocks(int size, const int& side) { return div_up(size, side); }

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3(blocks(N, tile.x), div_up(M, tile.y)), dim3(tile.x, tile.y)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * tile.y + threadIdx.y;
  const int col = blockIdx.x * tile.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int from = 0; from < K; from += step) {
    const int behind = from + std::min(step, K - from);
    for (int k = from; k < behind; ++k) sum += A[at(row, k, K)] * B[at(k, col, N)];
  }
  C[at(row, col, N)] = sum;
}
