// check: --kernel turn --block 32 --arg 'float2[32]=random' --arg 'float2[32]' --arg int=32
#include <cuComplex.h>
#include <math_constants.h>

// Turns each number by a right angle, twice, and adds it to where it came from: nothing is left.
__global__ void turn(const cuFloatComplex* in, cuFloatComplex* out, int n) {
  __builtin_assume(n > 0);
  const int i = threadIdx.x;
  if (i >= n) return;
  const cuFloatComplex angle = make_cuFloatComplex(0.0f, 1.0f);
  const cuFloatComplex turned = cuCmulf(cuCmulf(in[i], angle), angle);
  out[i] = cuCaddf(turned, in[i]);
  assert(cuCabsf(out[i]) == 0.0f);
  assert(cuCrealf(cuCdivf(in[i], in[i])) > 0.999f && cuCimagf(cuConjf(angle)) == -1.0f);
  assert(CUDART_INF_F > CUDART_MAX_NORMAL_F && CUDART_NAN_F != CUDART_NAN_F && fabsf(sinf(CUDART_PI_F)) < 1e-6f);
}
