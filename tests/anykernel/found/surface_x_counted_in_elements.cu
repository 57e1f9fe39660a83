// misaligned of picture in line 6: --kernel fills --grid 2,2 --block 16,16 --arg 'surface float[32][32]' --arg int=32
#include <cuda_runtime.h>

__global__ void fills(cudaSurfaceObject_t picture, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) surf2Dwrite((float)(x + y), picture, x, y);
}
