// One template for every type of numbers, which nothing in the file instantiates; it calls itself for the sums of the blocks.
#include <cuda_runtime.h>

#define THREADS 256

template <typename T>
__global__ void scan_blocks(const T *in, T *out, T *sums, int n) {
  __shared__ T numbers[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  numbers[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int step = 1; step < THREADS; step <<= 1) {
    const T left = t >= step ? numbers[t - step] : T(0);
    __syncthreads();
    numbers[t] += left;
    __syncthreads();
  }
  if (i < n) out[i] = numbers[t];
  if (t == THREADS - 1) sums[blockIdx.x] = numbers[t];
}

template <typename T>
__global__ void add_sums(T *out, const T *sums, int n) {
  const int i = (blockIdx.x + 1) * THREADS + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
}

template <typename T>
void scan(const T *in, T *out, int n) {
  const int blocks = (n + THREADS - 1) / THREADS;
  T *sums = nullptr;
  if (cudaMalloc(&sums, blocks * sizeof(T)) != cudaSuccess) return;
  scan_blocks<T><<<blocks, THREADS>>>(in, out, sums, n);
  if (blocks > 1) {
    scan<T>(sums, sums, blocks);
    add_sums<T><<<blocks - 1, THREADS>>>(out, sums, n);
  }
  cudaFree(sums);
}
