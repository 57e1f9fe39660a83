// check: --kernel throws --grid 4 --block 64 --arg 'curandStateXORWOW[256]' --arg 'unsigned int[1]=0' --arg int=200
#include <curand_kernel.h>

__global__ void throws(curandState* states, unsigned* inside, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(1234, i, 0, &states[i]);
  curandState state = states[i];
  unsigned mine = 0;
  for (int k = 0; k < n; ++k) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    assert(x > 0 && x <= 1 && y > 0 && y <= 1);
    if (x * x + y * y <= 1) ++mine;
  }
  states[i] = state;
  atomicAdd(inside, mine);
}
