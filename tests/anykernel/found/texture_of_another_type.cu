// crash in line 5: --kernel looks --block 32 --arg 'texture uchar[32]=0' --arg 'float[32]'
#include <cuda_runtime.h>

__global__ void looks(cudaTextureObject_t line, float* out) {
  out[threadIdx.x] = tex1D<float>(line, threadIdx.x);
}
