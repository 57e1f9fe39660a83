// run:
// prints: 10000 letters, a 385 z 384\n
#include <stdio.h>
#include <stdlib.h>

#define BINS 26

__global__ void histogram(const char *text, int n, unsigned int *bins) {
  __shared__ unsigned int mine[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int letter = text[i] - 'a';
    if (letter >= 0 && letter < BINS) atomicAdd(&mine[letter], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

int main(void) {
  const int n = 10000;
  char *text = (char *)malloc(n);
  for (int i = 0; i < n; i++) text[i] = 'a' + i % BINS;
  char *d_text;
  unsigned int *d_bins, bins[BINS], total = 0;
  cudaMalloc((void **)&d_text, n);
  cudaMalloc((void **)&d_bins, BINS * sizeof(unsigned int));
  cudaMemset(d_bins, 0, BINS * sizeof(unsigned int));
  cudaMemcpy(d_text, text, n, cudaMemcpyHostToDevice);
  histogram<<<8, 128>>>(d_text, n, d_bins);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(bins, d_bins, sizeof(bins), cudaMemcpyDeviceToHost);
  for (int b = 0; b < BINS; b++) total += bins[b];
  printf("%u letters, a %u z %u\n", total, bins[0], bins[BINS - 1]);
  cudaFree(d_text);
  cudaFree(d_bins);
  free(text);
  return 0;
}
