// No shared memory at all: each lane holds one element of A, and shuffles hand it round the warp.
#include <tilelab/device.cuh>

constexpr int ROWS = 4;
constexpr unsigned ALL = 0xffffffff;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / 32, M / (2 * ROWS)), dim3(32, 2)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  const int lane = threadIdx.x;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS, col = blockIdx.x * 32 + lane;
  float sum[ROWS] = {0};
  for (int start = 0; start < K; start += 32) {
    float mine[ROWS];
    for (int r = 0; r < ROWS; ++r) mine[r] = A[(first + r) * K + start + lane];
    for (int k = 0; k < 32; ++k) {
      const float b = B[(start + k) * N + col];
      for (int r = 0; r < ROWS; ++r) sum[r] += __shfl_sync(ALL, mine[r], k) * b;
    }
  }
  for (int r = 0; r < ROWS; ++r) C[(first + r) * N + col] = sum[r];
}
