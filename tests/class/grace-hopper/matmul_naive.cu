// G. Hopper -- debugged twice
#include <tilelab/device.cuh>

static const unsigned THREADS = 256;

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  LaunchConfig config;
  config.block = dim3(THREADS);
  config.grid = dim3((M * N + THREADS - 1) / THREADS);
  return config;
}

__global__ void matmul_naive(const float *A, const float *B, float *C, int M, int N, int K) {
  unsigned id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id >= (unsigned)(M * N)) { return; }
  unsigned i = id / N, j = id - i * N;
  C[id] = 0.f;                      // own element: written first, so it may be read
  for (unsigned k = 0; k != (unsigned)K; k++) {
    C[id] = C[id] + A[i * K + k] * B[k * N + j];
  }
}
