// verdict: wrong-answer
// Each block begins at 0 again.
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
  if (i < n) out[i] = part[t];
  if (sums != nullptr && t == threads - 1) sums[blockIdx.x] = part[t];
}

void scan(const int* in, int* out, int n) {
  scan_blocks<<<(n + threads - 1) / threads, threads>>>(in, out, nullptr, n);
}
