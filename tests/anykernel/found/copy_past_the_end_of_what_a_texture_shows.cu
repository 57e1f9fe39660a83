// out-of-bounds of out in line 7: --kernel copies --grid 3,2 --block 16,16 --arg 'texture float[32][32]=random' --arg 'float[1024]'
#include <cuda_runtime.h>

// A lookup outside the texture is clamped, and no mistake; the store is one.
__global__ void copies(cudaTextureObject_t picture, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * 33 + x] = tex2D<float>(picture, x, y);
}
