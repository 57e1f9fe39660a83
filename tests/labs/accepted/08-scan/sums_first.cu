// Reduces the blocks first, scans their sums in one block, and scans each block with what lies before it: no number is stored twice.
#include <cuda_runtime.h>

const int B = 512;

template <bool last_only>
__global__ void pass(const int *x, int *y, const int *before, int n) {
  __shared__ int s[B];
  int i = blockIdx.x * B + threadIdx.x;
  s[threadIdx.x] = (i < n) ? x[i] : 0;
  for (int d = 1; d < B; d *= 2) {
    __syncthreads();
    int v = (threadIdx.x >= d) ? s[threadIdx.x - d] : 0;
    __syncthreads();
    s[threadIdx.x] += v;
  }
  if (last_only) {
    if (threadIdx.x == B - 1) y[blockIdx.x] = s[B - 1];
  } else if (i < n) {
    y[i] = s[threadIdx.x] + (blockIdx.x ? before[blockIdx.x - 1] : 0);
  }
}

int scan(const int *in, int *out, int n) {
  int blocks = (n + B - 1) / B, upper = (blocks + B - 1) / B, *mem;
  if (cudaMalloc(&mem, (2 * blocks + 2 * upper) * sizeof(int))) return 1;
  int *sums = mem, *scanned = sums + blocks, *sums2 = scanned + blocks, *scanned2 = sums2 + upper;
  pass<true><<<blocks, B>>>(in, sums, nullptr, n);
  pass<true><<<upper, B>>>(sums, sums2, nullptr, blocks);
  pass<false><<<1, B>>>(sums2, scanned2, nullptr, upper);
  pass<false><<<upper, B>>>(sums, scanned, scanned2, blocks);
  pass<false><<<blocks, B>>>(in, out, scanned, n);
  return cudaFree(mem);
}
