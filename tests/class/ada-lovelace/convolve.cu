// A block loads as many pixels as it has threads, and only the inner ones have an element to compute: tiles of 12 by 12.
#include <cuda_runtime.h>

#define MASK_WIDTH 5
#define MASK_RADIUS 2
#define BLOCK 16
#define TILE (BLOCK - MASK_WIDTH + 1)

__constant__ float M[MASK_WIDTH][MASK_WIDTH];

__global__ void conv2d(const float *N, float *P, int height, int width) {
  __shared__ float Ns[BLOCK][BLOCK];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row_o = blockIdx.y * TILE + ty, col_o = blockIdx.x * TILE + tx;
  int row_i = row_o - MASK_RADIUS, col_i = col_o - MASK_RADIUS;
  if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
    Ns[ty][tx] = N[row_i * width + col_i];
  else
    Ns[ty][tx] = 0.0f;
  __syncthreads();
  if (ty < TILE && tx < TILE) {
    float output = 0.0f;
    for (int i = 0; i < MASK_WIDTH; i++)
      for (int j = 0; j < MASK_WIDTH; j++) output += M[i][j] * Ns[i + ty][j + tx];
    if (row_o < height && col_o < width) P[row_o * width + col_o] = output;
  }
}

void convolve(const float *image, const float *mask, float *out, int height, int width) {
  cudaMemcpyToSymbol(M, mask, MASK_WIDTH * MASK_WIDTH * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  dim3 dimBlock(BLOCK, BLOCK, 1);
  dim3 dimGrid((width - 1) / TILE + 1, (height - 1) / TILE + 1, 1);
  conv2d<<<dimGrid, dimBlock>>>(image, out, height, width);
  cudaDeviceSynchronize();
}
