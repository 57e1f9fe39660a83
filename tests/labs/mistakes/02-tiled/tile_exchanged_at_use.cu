// mistake: verdict=wrong-answer; line=23; says="uses A with row and column exchanged"; searched
#include <tilelab/device.cuh>

#define TILE_WIDTH 16

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / TILE_WIDTH, M / TILE_WIDTH), dim3(TILE_WIDTH, TILE_WIDTH)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < K / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = A[Row * K + ph * TILE_WIDTH + tx];
    Nds[ty][tx] = B[(ph * TILE_WIDTH + ty) * N + Col];
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) {
      Pvalue += Mds[k][ty] * Nds[k][tx];
    }
    __syncthreads();
  }
  C[Row * N + Col] = Pvalue;
}
