#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__device__ float dot(const float* a, const float* b, int stride, int k) {
  return a[k] * b[k * stride] + dot(a, b, stride, k == 0 ? 0 : k - 1);
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = dot(A + row * K, B + col, N, K - 1);
}
