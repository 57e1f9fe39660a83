// A block of 96 threads: no power of two. Ballots, __activemask-free partial masks, a switch that unrolls, atomicCAS for the float sum.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig sum_reduce_launch(int n) {
  const int each = 96 * 4;
  int blocks = n / each + (n % each ? 1 : 0);
  return {dim3(blocks), dim3(96)};
}

__device__ void add(float* at, float value) {
  int* const bits = reinterpret_cast<int*>(at);
  int seen = *reinterpret_cast<volatile int*>(bits), before;
  do {
    before = seen;
    seen = atomicCAS(bits, before, __float_as_int(__int_as_float(before) + value));
  } while (seen != before);
}

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float s[3];
  const int first = (blockIdx.x * 96 + threadIdx.x) * 4;
  float v = 0;
  switch (min(max(n - first, 0), 4)) {
    case 4: v += in[first + 3]; [[fallthrough]];
    case 3: v += in[first + 2]; [[fallthrough]];
    case 2: v += in[first + 1]; [[fallthrough]];
    case 1: v += in[first]; break;
    case 0: break;
  }
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % warpSize == 0) s[threadIdx.x / warpSize] = v;
  __syncthreads();
  const unsigned who = __ballot_sync(0xffffffffu, threadIdx.x < 3);
  if (threadIdx.x < 3) {
    float t = s[threadIdx.x];
    t += __shfl_down_sync(who, t, 2) * (threadIdx.x == 0);
    const float one = __shfl_sync(who, s[threadIdx.x], 1);
    if (threadIdx.x == 0) add(sum, t + one);
  }
}
