// Scan within blocks of 512, then the sums
#include <cuda_runtime.h>

#define N_THREADS 512

__global__ void scanKernel(const int *in, int *out, int *sums, int n) {
  __shared__ int s[N_THREADS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < N_THREADS; d *= 2) {
    if (threadIdx.x >= d)
      s[threadIdx.x] += s[threadIdx.x - d];
    __syncthreads();
  }
  if (i < n) out[i] = s[threadIdx.x];
  if (threadIdx.x == N_THREADS - 1) sums[blockIdx.x] = s[threadIdx.x];
}

__global__ void addKernel(int *out, const int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int before = 0;
  for (int b = 0; b < blockIdx.x; b++) before += sums[b];
  if (i < n) out[i] += before;
}

void scan(const int *in, int *out, int n) {
  int blocks = (n + N_THREADS - 1) / N_THREADS;
  int *sums;
  cudaMalloc((void **)&sums, blocks * sizeof(int));
  scanKernel<<<blocks, N_THREADS>>>(in, out, sums, n);
  addKernel<<<blocks, N_THREADS>>>(out, sums, n);
  cudaFree(sums);
}
