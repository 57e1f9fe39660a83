// check: --kernel average --block 64 --arg 'const half[64]=iota' --arg 'half[64]' --arg 'half[1]=0'
#include <cuda_fp16.h>

struct Sample {
  half value;
  short weight;
};

__global__ void average(const half* A, half* C, half* total) {
  __shared__ half values[64];
  __shared__ Sample samples[64];
  const unsigned t = threadIdx.x;
  values[t] = A[t];
  samples[t].value = hsqrt(A[t]);
  samples[t].weight = 2;
  __syncthreads();
  half mean = (values[t] + values[63 - t]) * half(0.5f);
  mean -= samples[63 - t].value;
  if (mean > values[t]) mean = __hmin(mean, __float2half(40.0f));
  C[t] = mean;
  const half other = __shfl_xor_sync(0xFFFFFFFF, mean, 1);
  if (t % 2 == 0) atomicAdd(total, mean + other);
}
