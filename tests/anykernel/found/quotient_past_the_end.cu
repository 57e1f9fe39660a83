// out-of-bounds of quotients in line 7: --kernel rests --block 32 --arg 'float[32]=random' --arg 'float[32]' --arg 'int[31]'
// The function of <cmath> writes through a pointer; for the last thread that leads past the end.
#include <cmath>

__global__ void rests(const float* in, float* out, int* quotients) {
  const int i = threadIdx.x;
  out[i] = std::remquo(in[i] * 100, 7.0f, quotients + i);
}
