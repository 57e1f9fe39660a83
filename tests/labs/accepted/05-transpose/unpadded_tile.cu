// No padding: slower for its bank conflicts, and right.
#include <tilelab/device.cuh>

#define TILE 16

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  dim3 block(TILE, TILE);
  dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  return {grid, block};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float tile[TILE][TILE];
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  if (row < M && col < N)
    tile[threadIdx.y][threadIdx.x] = in[row * N + col];
  __syncthreads();
  col = blockIdx.y * TILE + threadIdx.x;  // now in out
  row = blockIdx.x * TILE + threadIdx.y;
  if (row < N && col < M)
    out[row * M + col] = tile[threadIdx.x][threadIdx.y];
}
