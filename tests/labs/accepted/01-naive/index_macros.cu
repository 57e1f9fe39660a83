// Macros for indices, a row of C per block, a stride loop over its columns, goto-free but old-fashioned.
#include <tilelab/device.cuh>
#define IDX(i, j, ld) (((i) * (ld)) + (j))
#define a(i, j) A[IDX(i, j, K)]
#define b(i, j) B[IDX(i, j, N)]
#define c(i, j) C[IDX(i, j, N)]
#define CEIL_DIV(x, y) (((x) + (y) - 1) / (y))

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  (void)K;
  int threads = N < 64 ? CEIL_DIV(N, 32) * 32 : 64;
  return LaunchConfig{dim3(M), dim3(threads)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int j = threadIdx.x, i = blockIdx.x;
  while (j < N) {
    float s = 0; int k = 0;
    do { s += a(i, k) * b(k, j); } while (++k < K);
    c(i, j) = s;
    j += blockDim.x;
  }
}
