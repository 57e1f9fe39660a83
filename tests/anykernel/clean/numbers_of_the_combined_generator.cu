// check: --kernel numbers --block 1 --arg 'float[1]'
// MRG32k3a's numbers and Poisson's, as the host code of cuRAND's own header made them with CUDA 13.0 on 22 November 2026.
#include <curand_kernel.h>

__global__ void numbers(float* out) {
  curandStateMRG32k3a_t state;
  curand_init(0, 0, 0, &state);
  const unsigned first = curand(&state), second = curand(&state);
  curand(&state);
  curand(&state);
  const float uniform = curand_uniform(&state);
  curand_uniform(&state);
  const double fine = curand_uniform_double(&state);
  curand_uniform_double(&state);
  skipahead(12345, &state);
  const unsigned later = curand(&state);
  skipahead_subsequence(5, &state);
  const unsigned far = curand(&state);
  skipahead_sequence(3, &state);
  assert(first == 545508615u && second == 1368065476u && later == 3803607519u && far == 1712126700u && curand(&state) == 3385472976u);
  assert(__double_as_longlong(static_cast<double>(uniform)) == 4597153079605854208ll && __double_as_longlong(fine) == 4602332478011528692ll);
  curand_init(42, 1, 3, &state);
  assert(curand(&state) == 929260147u && curand(&state) == 3559450556u);
  curandStateXORWOW_t xorwow;
  curand_init(42, 7, 3, &xorwow);
  curandStatePhilox4_32_10_t philox;
  curand_init(42, 7, 3, &philox);
  const unsigned few[] = {curand_poisson(&xorwow, 0.5), curand_poisson(&philox, 0.5), curand_poisson(&xorwow, 4), curand_poisson(&philox, 4),
                          curand_poisson(&xorwow, 30), curand_poisson(&philox, 30)};
  assert(few[0] == 2 && few[1] == 0 && few[2] == 3 && few[3] == 4 && few[4] == 28 && few[5] == 24);
  out[0] = curand_normal(&state) + curand_log_normal(&state, 0.5f, 0.25f) + curand_poisson(&state, 5000);
}
