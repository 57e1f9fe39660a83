// verdict: race line: 21
// One kernel: a block adds the sums of the blocks before it, which may not be there yet.
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
  if (t == threads - 1) sums[blockIdx.x] = part[t];
  int before = 0;
  for (int b = 0; b < blockIdx.x; ++b)
    before += sums[b];
  if (i < n) out[i] = before + part[t];
}

void scan(const int* in, int* out, int n) {
  const int blocks = (n + threads - 1) / threads;
  int* sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemset(sums, 0, blocks * sizeof(int));
  scan_blocks<<<blocks, threads>>>(in, out, sums, n);
  cudaFree(sums);
}
