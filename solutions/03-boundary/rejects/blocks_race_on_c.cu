// verdict: race line: 15
// Two blocks for each tile, half of K each, add into C without atomics.
#include <tilelab/device.cuh>
constexpr int T = 8;
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T, 2), dim3(T, T)};
}
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  const int half = (K + 1) / 2, from = blockIdx.z * half, to = min(K, from + half);
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + col];
  if (blockIdx.z == 0) C[row * N + col] = 0.0f;
  C[row * N + col] += sum;
}
