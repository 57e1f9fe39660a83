// verdict: compile-error line: 6
// A helper for both sides, which only a kernel may call.
#include <tilelab/device.cuh>

__host__ __device__ inline int blocks_for(int size, int block) {
  return (size + block - 1) / block + threadIdx.x;
}

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const dim3 block(16, 16);
  return LaunchConfig{dim3(blocks_for(N, 16), blocks_for(M, 16)), block};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += A[row * K + k] * B[k * N + col];
  }
  C[row * N + col] = sum;
}
