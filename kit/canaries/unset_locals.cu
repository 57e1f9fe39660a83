// canary: out-of-bounds in lines 17 18 19 20 21
// A local variable without a value holds bytes that are seen in a result. Only where it does, an access goes out of bounds.
#include <tilelab/device.cuh>

struct Pair {
  int first;
  float second;
};

__global__ void canary(float* out, const float* in, int n) {
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
  out[t] = in[t];
}
