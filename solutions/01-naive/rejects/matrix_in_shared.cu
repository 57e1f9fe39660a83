// verdict: launch-error
// A whole matrix in shared memory, more than a process could even start with.
#include <tilelab/device.cuh>

__shared__ float scratch[1ull << 28];

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  scratch[row * N + col] = sum;
  C[row * N + col] = scratch[row * N + col];
}
