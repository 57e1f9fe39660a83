// One warp loads both tiles, through a union, and the whole block multiplies.
#include <tilelab/device.cuh>
#define T 16
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)}; }
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ union { float f[2][T][T]; unsigned u[2 * T * T]; } s;
  int t = threadIdx.y * T + threadIdx.x;
  int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
  float acc = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    if (t < 32) {
      for (int i = t; i < T * T; i += 32) {
        int r = i / T, c = i % T;
        s.u[i] = __float_as_uint(row0 + r < M && k0 + c < K ? A[(row0 + r) * K + k0 + c] : 0.0f);
        s.u[T * T + i] = __float_as_uint(k0 + r < K && col0 + c < N ? B[(k0 + r) * N + col0 + c] : 0.0f);
      }
    }
    __syncthreads();
    for (int k = 0; k < T; k++) acc += s.f[0][threadIdx.y][k] * s.f[1][k][threadIdx.x];
    __syncthreads();
  }
  if (row0 + threadIdx.y < M && col0 + threadIdx.x < N) C[(row0 + threadIdx.y) * N + col0 + threadIdx.x] = acc;
}
