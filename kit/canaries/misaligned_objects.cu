// canary: misaligned in lines 14 17 20
// Objects at addresses where a GPU cannot read or write them.
#include <tilelab/device.cuh>

struct alignas(16) Quad {
  float v[4];
};

__global__ void canary(float* out, const float* in, int n) {
  float4 four = {};
  Quad quad = {};
  switch (threadIdx.x) {
    case 0:
      four = *reinterpret_cast<const float4*>(in + 1);
      break;
    case 1:
      *reinterpret_cast<Quad*>(out + 1) = quad;
      break;
    case 2:
      quad = *reinterpret_cast<const Quad*>(in + n / 32);
      break;
  }
  if (threadIdx.x > 2) out[threadIdx.x] = four.x + quad.v[0];
}
