// A sum of halves by a static function that calls itself: the assembler resolves such a call, and the object file names no target.
#include <tilelab/device.cuh>

static __device__ float dot(const float* a, const float* b, int n, int stride) {
  if (n == 1) return a[0] * b[0];
  const int half = n / 2;
  return dot(a, b, half, stride) + dot(a + half, b + static_cast<size_t>(half) * stride, n - half, stride);
}

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int) {
  return {dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = dot(A + row * K, B + col, K, N);
}
