// check: --kernel numbers --block 1 --arg 'float[1]'
// Poisson's numbers, as the host code of cuRAND's own header made them with CUDA 13.0 on 22 November 2026.
#include <curand_kernel.h>

__global__ void numbers(float* out) {
  curandStateXORWOW_t xorwow;
  curand_init(42, 7, 3, &xorwow);
  curandStatePhilox4_32_10_t philox;
  curand_init(42, 7, 3, &philox);
  const unsigned few[] = {curand_poisson(&xorwow, 0.5), curand_poisson(&philox, 0.5), curand_poisson(&xorwow, 4), curand_poisson(&philox, 4),
                          curand_poisson(&xorwow, 30), curand_poisson(&philox, 30)};
  assert(few[0] == 2 && few[1] == 0 && few[2] == 3 && few[3] == 4 && few[4] == 28 && few[5] == 24);
  out[0] = curand_log_normal(&xorwow, 0.5f, 0.25f) + curand_poisson(&xorwow, 5000);
}
