// verdict: input-modified
// The blocks leave their scan in the input, and a copy brings it to the output.
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void scan_blocks(int* in, int* sums, int n) {
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
  if (i < n) in[i] = part[t];
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
  scan_blocks<<<blocks, threads>>>(const_cast<int*>(in), sums, n);
  if (out != in) cudaMemcpy(out, in, n * sizeof(int), cudaMemcpyDeviceToDevice);
  if (blocks > 1) {
    scan(sums, sums, blocks);
    add_before<<<blocks, threads>>>(out, sums, n);
  }
  cudaFree(sums);
}
