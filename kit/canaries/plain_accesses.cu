// canary: out-of-bounds in lines 12 18 21 24 27 30 33 36 39 42 45 51
// Every size and kind of access that a compiler announces by itself, each from another thread, and each far outside its array.
#include <tilelab/device.cuh>

struct Triple {
  float x, y, z;
};
struct Many {
  float v[10];
};

__device__ float through(const float& value) { return value; }

__global__ void canary(float* out, const float* in, int n) {
  char* far = reinterpret_cast<char*>(out + 4096);
  switch (threadIdx.x) {
    case 0:
      *far = 1;
      break;
    case 1:
      *reinterpret_cast<short*>(far) = 1;
      break;
    case 2:
      out[n + 4096] = 1;
      break;
    case 3:
      *reinterpret_cast<double*>(far) = 1;
      break;
    case 4:
      *reinterpret_cast<float4*>(far) = make_float4(1, 2, 3, 4);
      break;
    case 5:
      out[5] = in[n + 4096];
      break;
    case 6:
      out[n + 4096] += 1;
      break;
    case 7:
      out[7] = *const_cast<const volatile float*>(in + 4096);
      break;
    case 8:
      *reinterpret_cast<Triple*>(far) = Triple{1, 2, 3};
      break;
    case 9:
      *reinterpret_cast<Many*>(out) = *reinterpret_cast<const Many*>(in + 4096);
      break;
    case 10:
      out[10] = through(in[n + 4096]);
      break;
    case 11:
      atomicAdd(out + 4096, 1.0f);
      break;
  }
}
