// canary: unscanned, rejected
// An operation of the processor that grades, which no GPU has.
#include <tilelab/device.cuh>

__global__ void canary(float* out, const float* in, int n) {
#if defined(__x86_64__)
  typedef float Four __attribute__((vector_size(16)));
  Four four = {in[0], in[1], in[2], in[3]};
  out[0] = __builtin_ia32_rcpps(four)[0];
#else
  out[0] = __builtin_aarch64_get_fpcr();
#endif
}
