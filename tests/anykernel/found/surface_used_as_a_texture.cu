// crash in line 6: --kernel looks --block 32 --arg 'surface float[32]=0' --arg 'float[32]'
#include <cuda_runtime.h>

// Both handles are numbers for the compiler.
__global__ void looks(cudaSurfaceObject_t line, float* out) {
  out[threadIdx.x] = tex1D<float>(line, threadIdx.x);
}
