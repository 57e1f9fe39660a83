// mistake: verdict=crash; line=25; says="Host code reads `out`, which is memory of the device"
#include <cuda_runtime.h>

constexpr int threads = 256;

__global__ void scan_block(const int* in, int* out, int before, int n) {
  __shared__ int part[threads];
  const int t = threadIdx.x;
  part[t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    const int other = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  if (t < n) out[t] = before + part[t];
}

void scan(const int* in, int* out, int n) {
  int before = 0;
  for (int start = 0; start < n; start += threads) {
    scan_block<<<1, threads>>>(in + start, out + start, before, n - start);
    const int last = start + threads < n ? start + threads - 1 : n - 1;
    before = out[last];
  }
}
