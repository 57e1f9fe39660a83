#include "transpose.cuh"

__global__ void transposed(const float* from, float* to, int rows, int columns) {
  const int j = blockIdx.x * TILE + threadIdx.x, i = blockIdx.y * TILE + threadIdx.y;
  if (i < rows && j < columns) to[j * rows + i] = from[i * columns + j];
}

void transpose(const float* from, float* to, int rows, int columns) {
  const dim3 block(TILE, TILE), grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transposed<<<grid, block>>>(from, to, rows, columns);
}
