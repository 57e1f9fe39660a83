// canary: out-of-bounds in lines 14 17 20 23 26 29 32 35
// Copies and fills that a compiler may make of plain moves, which it announces to nobody.
#include <tilelab/device.cuh>
#undef __builtin_memcpy
#undef __builtin_memmove
#undef __builtin_memset

__global__ void canary(float* out, const float* in, int n) {
  char* far = reinterpret_cast<char*>(out + 4096);
  char* away = const_cast<char*>(reinterpret_cast<const char*>(in + 4096));
  char local[64] = {};
  switch (threadIdx.x) {
    case 0:
      __builtin_memcpy(far, local, 3);
      break;
    case 1:
      __builtin_memcpy(local, away, 12);
      break;
    case 2:
      __builtin_memmove(far, local, 24);
      break;
    case 3:
      __builtin_memmove(local, away, 64);
      break;
    case 4:
      __builtin_memset(far, 0, 20);
      break;
    case 5:
      __builtin_memset(far, 0, 64);
      break;
    case 6:
      __builtin_memcpy(far, local, n);
      break;
    case 7:
      memcpy(local, away, 16);
      break;
  }
  out[threadIdx.x] = local[0];
}
