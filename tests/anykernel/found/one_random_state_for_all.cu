// race of state in line 5: --kernel numbers --block 32 --arg 'curandStateXORWOW[1]=1' --arg 'float[32]'
#include <curand_kernel.h>

__global__ void numbers(curandState* state, float* out) {
  out[threadIdx.x] = curand_uniform(state);
}
