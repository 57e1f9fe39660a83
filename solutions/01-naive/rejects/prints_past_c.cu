// verdict: out-of-bounds line: 17
// What printf is told to print lies behind C.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const dim3 block(16, 16);
  return LaunchConfig{dim3((N + block.x - 1) / block.x, (M + block.y - 1) / block.y), block};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
  if (row == M - 1 && col == N - 1) printf("%s\n", reinterpret_cast<const char*>(C + M * N));
}
