// mistake: verdict=compile-error; line=3; says="This line has to begin with `#`: `#define`"
#include <tilelab/device.cuh>
define TILE 16

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  dim3 block(TILE, TILE);
  dim3 grid(N / TILE, M / TILE);
  return LaunchConfig{grid, block};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < K / TILE; t++) {
    As[ty][tx] = A[row * K + t * TILE + tx];
    Bs[ty][tx] = B[(t * TILE + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  C[row * N + col] = sum;
}
