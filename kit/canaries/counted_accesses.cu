// canary: pass counting 6 loads and 6 stores
// Each access of a warp is announced once: not a second time where a call was inserted, and not in parts.
#include <tilelab/device.cuh>

struct Triple {
  float x, y, z;
};
static __device__ const int order[8] = {7, 6, 5, 4, 3, 2, 1, 0};

__global__ void canary(float* out, const float* in, int n) {
  const int t = threadIdx.x;
  out[t] = in[t];
  out[t] += 1;
  __syncthreads();
  if (t < 8) reinterpret_cast<float4*>(out)[order[t]] = reinterpret_cast<const float4*>(in)[t];
  __syncthreads();
  const_cast<volatile float*>(out)[t] = const_cast<const volatile float*>(in)[t];
  Triple triple;
  memcpy(&triple, in + t / 4, sizeof triple);
  memcpy(out + t, &triple.y, 4);
  out[t] = in[n - 1 - t] + triple.x;
}
