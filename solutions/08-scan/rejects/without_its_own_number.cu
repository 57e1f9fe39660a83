// verdict: wrong-answer
// explains: output-shifted
// Each sum ends before its own number: an exclusive scan.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int part[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    const int other = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  if (i < n) out[i] = part[t] - in[i];
  if (sums != nullptr && t == threads - 1) sums[blockIdx.x] = part[t];
}

__global__ void add_before(int* out, const int* sums, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan(const int* in, int* out, int n) {
  const int blocks = (n + threads - 1) / threads;
  int* sums = nullptr;
  if (blocks > 1) cudaMalloc(&sums, blocks * sizeof(int));
  scan_blocks<<<blocks, threads>>>(in, out, sums, n);
  if (blocks > 1) {
    scan(sums, sums, blocks);
    add_before<<<blocks, threads>>>(out, sums, n);
  }
  cudaFree(sums);
}
