// canary: out-of-bounds in lines 25 26 27 28 29
// A local variable without a value holds bytes that are seen in a result, also where another function had its own before. Only
// where it does, an access goes out of bounds.
#include <tilelab/device.cuh>

struct Pair {
  int first;
  float second;
};

__device__ int leaves_other_bytes(int n) {
  volatile int bytes[64];
  for (int i = 0; i < 64; ++i) bytes[i] = n;
  return bytes[n % 64];
}

__device__ void looks(float* out, int n) {
  float number;
  int count;
  double wide;
  Pair pair;
  float several[5];
  const int t = threadIdx.x;

  if (t == 0 && __float_as_uint(number) == 0xfefefefe) out[n + 4096] = 0;
  if (t == 1 && static_cast<unsigned>(count) == 0xfefefefe) out[n + 4096] = 0;
  if (t == 2 && __double_as_longlong(wide) == static_cast<long long>(0xfefefefefefefefe)) out[n + 4096] = 0;
  if (t == 3 && __float_as_uint(pair.second) == 0xfefefefe) out[n + 4096] = 0;
  if (t == 4 && __float_as_uint(several[4]) == 0xfefefefe) out[n + 4096] = 0;
}

__global__ void canary(float* out, const float* in, int n) {
  const int other = leaves_other_bytes(n);
  looks(out, n);
  out[threadIdx.x] = in[threadIdx.x] + static_cast<float>(other - n);
}
