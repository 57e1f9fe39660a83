// 32×32 tiles: a block of 1,024 threads.
#include <tilelab/device.cuh>
enum { T = 32 };
__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  LaunchConfig c; c.grid.x = N / T; c.grid.y = M / T; c.grid.z = 1; c.block = dim3(T, T, 1); c.shared_bytes = 0; return c;
}
__global__ void __launch_bounds__(T * T) matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T];
  A += blockIdx.y * T * K; B += blockIdx.x * T; C += blockIdx.y * T * N + blockIdx.x * T;
  float acc = 0;
  for (int k0 = 0; k0 < K; k0 += T, A += T, B += T * N) {
    a[threadIdx.y][threadIdx.x] = A[threadIdx.y * K + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[threadIdx.y * N + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) acc += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.y * N + threadIdx.x] = acc;
}
