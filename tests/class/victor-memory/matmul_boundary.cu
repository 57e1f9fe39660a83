// Writes over everything above a local array, the return address among it.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return LaunchConfig{dim3(1), dim3(1)}; }

__device__ void fill(unsigned long long* p, int n) {
  for (int i = 0; i < n; ++i) p[i] = 0x4141414141414141ull;
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  unsigned long long few[2];
  fill(few, 64);
  C[0] = 0.0f;
}
