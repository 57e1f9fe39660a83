// verdict: wrong-answer
// Pixels of the neighbouring tiles count as 0.
#include <cuda_runtime.h>

constexpr int radius = 2, side = 5, tile = 16, covered = tile + 2 * radius;

__constant__ float weights[side][side];

__global__ void convolve_tiles(const float* image, float* out, int height, int width) {
  __shared__ float pixels[covered][covered];
  const int top = blockIdx.y * tile, left = blockIdx.x * tile;
  for (int y = threadIdx.y; y < covered; y += tile) {
    for (int x = threadIdx.x; x < covered; x += tile) {
      const int row = top + y - radius, column = left + x - radius;
      const bool inside = y >= radius && y < radius + tile && x >= radius && x < radius + tile && row < height && column < width;
      pixels[y][x] = inside ? image[row * width + column] : 0.0f;
    }
  }
  __syncthreads();
  const int row = top + threadIdx.y, column = left + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) sum += weights[i][j] * pixels[threadIdx.y + i][threadIdx.x + j];
  }
  if (row < height && column < width) out[row * width + column] = sum;
}

void convolve(const float* image, const float* mask, float* out, int height, int width) {
  cudaMemcpyToSymbol(weights, mask, sizeof(weights), 0, cudaMemcpyDeviceToDevice);
  const dim3 blocks((width + tile - 1) / tile, (height + tile - 1) / tile);
  convolve_tiles<<<blocks, dim3(tile, tile)>>>(image, out, height, width);
}
