// mistake: verdict=compile-error; line=17; says="The condition in line 4 leaves it out"
#include <tilelab/device.cuh>

#ifndef __CUDA_ARCH__
const int TW = 16;
#endif

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += TW / 16 * A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
