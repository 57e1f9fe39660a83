// Sums by halves: a __device__ function that calls itself.
#include <tilelab/device.cuh>
__device__ float pairwise(const float* a, const float* b, int n, int ldb) {
  if (n <= 8) { float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i * ldb]; return s; }
  int h = n / 2;
  return pairwise(a, b, h, ldb) + pairwise(a + h, b + h * ldb, n - h, ldb);
}
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) { dim3 t = {8, 8}; dim3 g; g.x = (N + 7) / 8; g.y = (M + 7) / 8; return {g, t}; }
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int i = threadIdx.y + blockDim.y * blockIdx.y, j = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < M && j < N) C[i * N + j] = pairwise(&A[i * K], &B[j], K, N);
}
