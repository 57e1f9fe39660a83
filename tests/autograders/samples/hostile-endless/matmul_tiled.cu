// Never ends: each thread waits for a value that nobody writes.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / 16, M / 16), dim3(16, 16)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  const volatile float* seen = A;
  float sum = 0.0f;
  while (sum >= 0.0f || sum < 0.0f) sum += seen[0] * 0.0f;
  C[0] = sum;
}
