// verdict: input-modified line: 15
// One thread does it all, and keeps its intermediate results in A.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) { return LaunchConfig{dim3(1), dim3(1)}; }

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  float* scratch = const_cast<float*>(A);
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
      C[row * N + col] = sum;
    }
    scratch[row * K] = 0.0f;
  }
}
