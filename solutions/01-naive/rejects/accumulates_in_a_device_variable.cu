// verdict: race line: 10
// The sum is kept in a __device__ array that every block of the grid uses.
#include <tilelab/device.cuh>
__device__ float sums[256];
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) { return {dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)}; }
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  const int mine = threadIdx.y * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  sums[mine] = 0.0f;
  for (int k = 0; k < K; ++k) sums[mine] += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sums[mine];
}
