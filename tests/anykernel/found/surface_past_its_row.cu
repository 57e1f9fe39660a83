// out-of-bounds of picture in line 6: --kernel fills --grid 3,2 --block 16,16 --arg 'surface float[32][32]'
#include <cuda_runtime.h>

__global__ void fills(cudaSurfaceObject_t picture) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  surf2Dwrite((float)(x + y), picture, x * 4, y);
}
