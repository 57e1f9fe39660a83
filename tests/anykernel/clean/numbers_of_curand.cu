// check: --kernel numbers --block 1 --arg 'float[1]'
// Numbers of each generator, as an H200 gave them with CUDA 13.0 on 22 November 2026.
#include <curand_kernel.h>

__global__ void numbers(float* out) {
  curandStateXORWOW_t xorwow;
  curand_init(42, 0, 0, &xorwow);
  const unsigned first = curand(&xorwow);
  curand_init(42, 7, 3, &xorwow);
  const unsigned later = curand(&xorwow);
  skipahead(5, &xorwow);
  skipahead_sequence(2, &xorwow);
  const unsigned skipped = curand(&xorwow);
  curandStatePhilox4_32_10_t philox;
  curand_init(42, 0, 0, &philox);
  const unsigned of_philox = curand(&philox);
  const uint4 four = curand4(&philox);
  curand_init(0xFFFFFFFF12345678ull, 9, 6, &philox);
  const unsigned far = curand(&philox);
  assert(first == 300737663u && later == 4081944259u && skipped == 3155567080u);
  assert(of_philox == 2632642643u && four.x == 2012563771u && four.w == 4242219303u && far == 2356972523u);
  out[0] = curand_normal(&xorwow) + curand_normal(&xorwow) + curand_normal_double(&philox);
}
