// canary: out-of-bounds or needs-gpu in lines 17
// The result of a function, built right where it is stored.
#include <tilelab/device.cuh>

struct Many {
  float v[10];
};

__device__ Many made(float value) {
  Many many = {};
  many.v[9] = value;
  return many;
}

__global__ void canary(float* out, const float* in, int n) {
  out[threadIdx.x] = in[threadIdx.x];
  *reinterpret_cast<Many*>(out + n + 4096) = made(in[0]);
}
