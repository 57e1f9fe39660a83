// Every conversion a student might print with, from one thread of one block.
#include <cstdio>
#include <tilelab/device.cuh>

constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)};
}

__device__ void show(const char* what, float value) { printf("%-10s|%8.3f|%e|%g\n", what, value, value, value); }

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  for (int start = 0; start < K; start += T) {
    As[ty][tx] = row < M && start + tx < K ? A[row * K + start + tx] : 0.0f;
    Bs[ty][tx] = start + ty < K && col < N ? B[(start + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
  if (row == 0 && col == 0) {
    show("sum", sum);
    printf("%d %i %u %x %X %o %c %s %% %5d|%-5d|%05d\n", row, -1, 7u, 255, 255, 8, 'c', "text", 42, 42, 42);
    printf("%ld %lu %lld %llu %p\n", 1L, 2UL, 3LL, 4ULL, (const void*)C);
    printf("%*d %.*f\n", 6, 7, 2, 3.14159);
  }
}
