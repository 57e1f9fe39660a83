// race of picture in line 7: --kernel shifts --block 64 --arg 'surface int[64]=iota'
#include <cuda_runtime.h>

__global__ void shifts(cudaSurfaceObject_t picture) {
  const int x = threadIdx.x;
  const int neighbour = surf1Dread<int>(picture, (x + 1) % 64 * 4);
  surf1Dwrite(neighbour, picture, x * 4);
}
