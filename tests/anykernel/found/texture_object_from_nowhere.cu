// crash in line 5: --kernel looks --block 32 --arg 'texture float[32]=0' --arg 'float[32]'
#include <cuda_runtime.h>

__global__ void looks(cudaTextureObject_t line, float* out) {
  out[threadIdx.x] = tex1D<float>(line + 1000, threadIdx.x);
}
