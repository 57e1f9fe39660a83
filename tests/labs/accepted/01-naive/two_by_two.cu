// Each thread computes a 2×2 piece of C in a small local array, with guards on every element.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((N + 31) / 32, (M + 15) / 16), dim3(16, 8)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  const int col = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  float sums[2][2] = {};
  for (int k = 0; k < K; ++k) {
    float left[2], right[2];
    for (int i = 0; i < 2; ++i) left[i] = row + i < M ? A[(row + i) * K + k] : 0.0f;
    for (int j = 0; j < 2; ++j) right[j] = col + j < N ? B[k * N + col + j] : 0.0f;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) sums[i][j] += left[i] * right[j];
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      if (row + i < M && col + j < N) C[(row + i) * N + col + j] = sums[i][j];
}
