// Hillis and Steele's steps in blocks of 1,024 threads, from one buffer to another; a single block scans the sums, and a third kernel adds
// them. No error is asked for, as in many courses.
#include <cuda_runtime.h>

#define BLOCK 1024

__global__ void scan_block(const int *in, int *out, int *sums, int n) {
  __shared__ int temp[2][BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
  temp[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < BLOCK; offset *= 2) {
    int to = 1 - from;
    if (t >= offset)
      temp[to][t] = temp[from][t] + temp[from][t - offset];
    else
      temp[to][t] = temp[from][t];
    from = to;
    __syncthreads();
  }
  if (i < n) out[i] = temp[from][t];
  if (sums != NULL && t == BLOCK - 1) sums[blockIdx.x] = temp[from][t];
}

__global__ void add_sums(int *out, const int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan(const int *in, int *out, int n) {
  int blocks = (n - 1) / BLOCK + 1;
  int *sums, *scanned;
  cudaMalloc((void **)&sums, blocks * sizeof(int));
  cudaMalloc((void **)&scanned, blocks * sizeof(int));
  scan_block<<<blocks, BLOCK>>>(in, out, sums, n);
  scan_block<<<1, BLOCK>>>(sums, scanned, NULL, blocks);
  add_sums<<<blocks, BLOCK>>>(out, scanned, n);
  cudaDeviceSynchronize();
  cudaFree(sums);
  cudaFree(scanned);
}
