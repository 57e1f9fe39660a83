// Rows past M and columns past N of the tiles stay unfilled: threads out there add up whatever lies in them, and throw
// it away. Nothing that reaches C depends on it.
#include <tilelab/device.cuh>

const int S = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + S - 1) / S, (M + S - 1) / S), dim3(S, S)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[S][S];
  __shared__ float b[S][S];
  const int x = threadIdx.x, y = threadIdx.y;
  const int i = blockIdx.y * S + y, j = blockIdx.x * S + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += S) {
    if (i < M) a[y][x] = k0 + x < K ? A[i * K + k0 + x] : 0.0f;
    if (j < N) b[y][x] = k0 + y < K ? B[(k0 + y) * N + j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < S; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (i < M && j < N) C[i * N + j] = sum;
}
