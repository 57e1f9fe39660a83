// canary: out-of-bounds in lines 12 17 18 19 20 21 22 23 24 25 26 28
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
  const int t = threadIdx.x;
  if (t == 0) *far = 1;
  if (t == 1) *reinterpret_cast<short*>(far) = 1;
  if (t == 2) out[n + 4096] = 1;
  if (t == 3) *reinterpret_cast<double*>(far) = 1;
  if (t == 4) *reinterpret_cast<float4*>(far) = make_float4(1, 2, 3, 4);
  if (t == 5) out[5] = in[n + 4096];
  if (t == 6) out[n + 4096] += 1;
  if (t == 7) out[7] = *const_cast<const volatile float*>(in + 4096);
  if (t == 8) *reinterpret_cast<Triple*>(far) = Triple{1, 2, 3};
  if (t == 9) *reinterpret_cast<Many*>(out) = *reinterpret_cast<const Many*>(in + 4096);
  if (t == 10) out[10] = through(in[n + 4096]);
  if (t == 11) atomicAdd(out + 4096, 1.0f);
}
