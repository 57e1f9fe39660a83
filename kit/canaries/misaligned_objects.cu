// canary: misaligned in lines 13 14 15
// Objects at addresses where a GPU cannot read or write them.
#include <tilelab/device.cuh>

struct alignas(16) Quad {
  float v[4];
};

__global__ void canary(float* out, const float* in, int n) {
  float4 four = {};
  Quad quad = {};
  const int t = threadIdx.x;
  if (t == 0) four = *reinterpret_cast<const float4*>(in + 1);
  if (t == 1) *reinterpret_cast<Quad*>(out + 1) = quad;
  if (t == 2) quad = *reinterpret_cast<const Quad*>(in + n / 32);
  if (threadIdx.x > 2) out[threadIdx.x] = four.x + quad.v[0];
}
