// canary: uninitialized-read in lines 9 10
// Shared memory of both kinds that nobody wrote.
#include <tilelab/device.cuh>

extern __shared__ float dynamic[];

__global__ void canary(float* out, const float* in, int n) {
  __shared__ float tile[32];
  const float a = tile[threadIdx.x];
  const float b = dynamic[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a + b + in[n - 1 - threadIdx.x];
}
