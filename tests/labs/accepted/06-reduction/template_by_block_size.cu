// The size of the block is a template parameter, so that the compiler writes the steps out.
#include <tilelab/device.cuh>

template <unsigned size>
__device__ void block_sum(const float* in, float* sum, int n) {
  extern __shared__ float parts[];
  const unsigned t = threadIdx.x;
  float mine = 0.0f;
  for (unsigned i = blockIdx.x * size * 2 + t; i < static_cast<unsigned>(n); i += gridDim.x * size * 2) {
    mine += in[i];
    if (i + size < static_cast<unsigned>(n)) mine += in[i + size];
  }
  parts[t] = mine;
  __syncthreads();
#pragma unroll
  for (unsigned half = size / 2; half >= 32; half /= 2) {
    if (t < half) parts[t] = mine = mine + parts[t + half];
    __syncthreads();
  }
  if (t < 32) {
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffffu, mine, step);
    if (t == 0) atomicAdd(sum, mine);
  }
}

__host__ __device__ LaunchConfig sum_reduce_launch(int n) {
  const int blocks = (n + 511) / 512;
  return {dim3(blocks < 64 ? blocks : 64), dim3(256), 256 * sizeof(float)};
}

__global__ void sum_reduce(const float* __restrict__ in, float* __restrict__ sum, int n) {
  block_sum<256>(in, sum, n);
}
