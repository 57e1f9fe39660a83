// mistake: verdict=crash; line=6; says="The launch function divides an integer by zero"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const int side = 16 * (M / 4096);  // 0 for a small matrix
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}
