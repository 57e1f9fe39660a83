// check: --kernel brightens --grid 2,2 --block 16,16 --arg 'surface uchar4[32][32]=iota' --arg 'surface uchar4[32][32]' --arg 'surface float[2][32][32]' --arg 'surface(layered) int2[3][32]=iota' --arg int=32
#include <cuda_runtime.h>
#include <cassert>

__device__ unsigned char brighter(unsigned char value) { return value < 128 ? 2 * value : 255; }

__global__ void brightens(cudaSurfaceObject_t in, cudaSurfaceObject_t out, cudaSurfaceObject_t volume, cudaSurfaceObject_t lines, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  uchar4 colour;
  surf2Dread(&colour, in, x * (int)sizeof(uchar4), y);
  assert(colour.x == ((y * n + x) * 4 & 255));
  surf2Dwrite(make_uchar4(brighter(colour.x), brighter(colour.y), brighter(colour.z), colour.w), out, x * sizeof(uchar4), y);
  surf3Dwrite((float)x, volume, x * 4, y, 1);
  surf3Dwrite((float)y, volume, x * 4, y, 0);
  const uchar4 left = surf2Dread<uchar4>(in, (x - 1) * 4, y, cudaBoundaryModeClamp);
  assert(x > 0 || left.x == colour.x);
  const uchar4 none = surf2Dread<uchar4>(in, (x + n) * 4, y, cudaBoundaryModeZero);
  assert(none.x == 0 && none.w == 0);
  surf2Dwrite(none, in, x * 4, n + y, cudaBoundaryModeZero);  // is dropped
  assert(surf1DLayeredread<int2>(lines, x * 8, 2).y == (2 * n + x) * 2 + 1);
}
