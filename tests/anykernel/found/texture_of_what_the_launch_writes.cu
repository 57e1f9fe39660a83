// race of out in line 9: --kernel twice --block 32 --arg 'texture float[32]=&out' --arg 'surface float[32]=0'
#include <cuda_runtime.h>

// The barrier orders the threads, but a texture need not show what the same launch has written.
__global__ void twice(cudaTextureObject_t before, cudaSurfaceObject_t out) {
  const int x = threadIdx.x;
  surf1Dwrite(2.0f * x, out, x * 4);
  __syncthreads();
  const float neighbour = tex1D<float>(before, (x + 1) % 32);
  __syncthreads();
  surf1Dwrite(neighbour, out, x * 4);
}
