// canary: out-of-bounds in lines 13 14 15 16 17 18 19 20
// Copies and fills that a compiler may make of plain moves, which it announces to nobody.
#include <tilelab/device.cuh>
#undef __builtin_memcpy
#undef __builtin_memmove
#undef __builtin_memset

__global__ void canary(float* out, const float* in, int n) {
  char* far = reinterpret_cast<char*>(out + 4096);
  char* away = const_cast<char*>(reinterpret_cast<const char*>(in + 4096));
  char local[64] = {};
  const int t = threadIdx.x;
  if (t == 0) __builtin_memcpy(far, local, 3);
  if (t == 1) __builtin_memcpy(local, away, 12);
  if (t == 2) __builtin_memmove(far, local, 24);
  if (t == 3) __builtin_memmove(local, away, 64);
  if (t == 4) __builtin_memset(far, 0, 20);
  if (t == 5) __builtin_memset(far, 0, 64);
  if (t == 6) __builtin_memcpy(far, local, n);
  if (t == 7) memcpy(local, away, 16);
  out[threadIdx.x] = local[0];
}
