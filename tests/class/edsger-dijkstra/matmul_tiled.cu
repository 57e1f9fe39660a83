#include <tilelab/device.cuh>

constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / T, M / T), dim3(T, T)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T];
  __shared__ float b[T][T];
  const int x = threadIdx.x, y = threadIdx.y;
  const int i = blockIdx.y * T + y;
  const int j = blockIdx.x * T + x;
  float s = 0.0f;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[y][x] = A[i * K + k0 + x];
    b[y][x] = B[(k0 + y) * N + j];
    __syncthreads();
    for (int k = 0; k < T; ++k) {
      s += a[y][k] * b[k][x];
    }
  }
  C[i * N + j] = s;
}
