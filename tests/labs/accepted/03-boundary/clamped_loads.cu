// Loads are clamped into the matrix instead of guarded, and what came from outside is multiplied away.
#include <tilelab/device.cuh>

constexpr int T = 16;

__device__ inline int clamp(int i, int n) { return min(i, n - 1); }

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  for (int start = 0; start < K; start += T) {
    As[ty][tx] = A[clamp(row, M) * K + clamp(start + tx, K)] * (start + tx < K);
    Bs[ty][tx] = B[clamp(start + ty, K) * N + clamp(col, N)];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
