// canary: pass
// Nothing is wrong here: what a course's kernels are made of has to be let pass without a finding.
#include <tilelab/device.cuh>
#include <algorithm>
#include <cuda_fp16.h>

struct Many {
  float v[10];
};
__constant__ float weights[4] = {1, 2, 3, 4};
static __device__ const int table[] = {0, 1, 2, 3, 4, 5, 6, 7};
extern __shared__ float dynamic[];

template <int Width, typename Number>
__device__ __forceinline__ Number summed(const Number (&values)[Width]) {
  Number sum = 0;
#pragma unroll
  for (int i = 0; i < Width; ++i) sum += values[i];
  return sum;
}

__device__ __noinline__ Many spread(Many many, float by) {
  for (float& value : many.v) value += by;
  return many;
}

__global__ void canary(float* out, const float* in, int n) {
  __shared__ float tile[8][33];
  __shared__ __half halves[32];
  const int t = threadIdx.x;
  const float4 four = reinterpret_cast<const float4*>(in)[t / 4];
  const float local[4] = {four.x, four.y, four.z, four.w};
  dynamic[t] = summed(local);
  halves[t] = __float2half(in[t]);
  for (int row = 0; row < 8; ++row) tile[row][t] = in[t] * weights[row % 4];
  __syncthreads();
  float large[12000];
  large[0] = in[t];
  for (int i = 1; i < 9; ++i) large[i] = large[i - 1] + 1;
  Many many = {};
  memcpy(many.v, in, sizeof many.v);
  many = spread(many, std::min(in[t], 2.0f));
  const auto scaled = [&](float value) { return value * table[t % 8]; };
  float sum = scaled(dynamic[n - 1 - t]) + __half2float(halves[n - 1 - t]) + tile[t % 8][n - 1 - t];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  out[t] = (many.v[t % 10] + large[t % 9]) / (1 + sum * sum) + std::max(sum, 0.0f) + (t < n ? rsqrtf(1 + fabsf(sum)) : sinpif(sum));
  __syncthreads();
  atomicAdd(&out[t], 1.0f);
}
