// verdict: rejected
// The host processor's own store instruction, by way of a system header: no callback announces it.
#include <tilelab/device.cuh>
#include <immintrin.h>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
  if (row == M - 1 && col == N - 1) _mm_stream_si32(reinterpret_cast<int*>(&C[M * N]), 0);
}
