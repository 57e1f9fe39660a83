// verdict: crash line: 12
// Shares K among the warps of a row of the block: with 16 threads in a row there are none. A GPU answers anything at all.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  const int warps = blockDim.x / 32;
  const int share = (K + warps - 1) / warps;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int first = 0; first < K; first += share)
    for (int k = first; k < first + share && k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
