// A 32×8 block computes a 32×32 piece of C: four rows a thread, so that B's tile is read from registers' neighbours.
#include <tilelab/device.cuh>

const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / TILE_DIM, M / TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tileA[TILE_DIM][TILE_DIM];
  __shared__ float tileB[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  float acc[TILE_DIM / BLOCK_ROWS];
  for (int j = 0; j < TILE_DIM / BLOCK_ROWS; ++j) acc[j] = 0.0f;
  for (int t = 0; t < K; t += TILE_DIM) {
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
      tileA[threadIdx.y + j][threadIdx.x] = A[(y + j) * K + t + threadIdx.x];
      tileB[threadIdx.y + j][threadIdx.x] = B[(t + threadIdx.y + j) * N + x];
    }
    __syncthreads();
    for (int k = 0; k < TILE_DIM; ++k) {
      float b = tileB[k][threadIdx.x];
      for (int j = 0; j < TILE_DIM / BLOCK_ROWS; ++j) acc[j] += tileA[threadIdx.y + j * BLOCK_ROWS][k] * b;
    }
    __syncthreads();
  }
  for (int j = 0; j < TILE_DIM / BLOCK_ROWS; ++j) C[(y + j * BLOCK_ROWS) * N + x] = acc[j];
}
