// mistake: verdict=crash; line=11; says="ends in line 14 without a `return`"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  dim3 block(16, 16);
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), block};
}

namespace {

  __device__ float product(const float* A, const float* B, int row, int col, int N, int K) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  }

}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = product(A, B, row, col, N, K);
}
