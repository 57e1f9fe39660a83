// run:
// prints: sum 124750 of 500\nsum 4999950000 of 100000\n
// Each launch sums within its blocks; the sums of blocks are the next launch's input.
#include <stdio.h>
#include <stdlib.h>

__global__ void sum_blocks(const unsigned long long *in, unsigned long long *out, int n) {
  extern __shared__ unsigned long long part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

unsigned long long sum(int n) {
  const int threads = 128;
  unsigned long long *numbers = (unsigned long long *)malloc(n * sizeof *numbers);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  unsigned long long *from, *to;
  cudaMalloc(&from, n * sizeof *numbers);
  cudaMalloc(&to, (n + threads - 1) / threads * sizeof *numbers);
  cudaMemcpy(from, numbers, n * sizeof *numbers, cudaMemcpyHostToDevice);
  while (n > 1) {
    const int blocks = (n + threads - 1) / threads;
    sum_blocks<<<blocks, threads, threads * sizeof *numbers>>>(from, to, n);
    unsigned long long *other = from;
    from = to;
    to = other;
    n = blocks;
  }
  unsigned long long total;
  cudaMemcpy(&total, from, sizeof total, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  free(numbers);
  return total;
}

int main() {
  printf("sum %llu of 500\n", sum(500));
  printf("sum %llu of 100000\n", sum(100000));
  if (cudaGetLastError() != cudaSuccess) return 1;
  return 0;
}
