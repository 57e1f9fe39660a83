// check: --kernel looks --block 32 --arg 'texture int[64]=iota' --arg 'texture float[64]=iota' --arg 'texture uchar4[8][16]=iota' --arg 'texture float2[4][8][16]=iota' --arg 'texture(layered) short[3][16]=iota' --arg 'texture(layered) unsigned[3][4][16]=iota' --arg 'float[32]'
#include <cuda_runtime.h>
#include <cassert>

// Texels hold 0, 1, 2, …, so each lookup shows which texel it found. A coordinate outside is clamped; a number outside brings 0.
__global__ void looks(cudaTextureObject_t list, cudaTextureObject_t line, cudaTextureObject_t picture, cudaTextureObject_t volume,
                      cudaTextureObject_t lines, const cudaTextureObject_t pictures, float* sum) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  assert(tex1Dfetch<int>(list, x) == x);
  assert(tex1Dfetch<int>(list, 64) == 0 && tex1Dfetch<int>(list, -1) == 0);
  assert(tex1D<float>(line, x + 0.5f) == x);
  assert(tex1D<float>(line, -3.0f) == 0.0f && tex1D<float>(line, 1000.0f) == 63.0f);
  const uchar4 colour = tex2D<uchar4>(picture, x + 0.5f, y + 0.5f);
  assert(colour.x == (y * 16 + x) * 4 % 256 && colour.w == (y * 16 + x) * 4 + 3);
  assert(tex2D<uchar4>(picture, 99.0f, -1.0f).x == 60);
  assert(tex2DLod<uchar4>(picture, x, y, 0.0f).y == colour.y);
  float2 pair;
  tex3D(&pair, volume, x + 0.9f, y + 0.1f, 3.5f);
  assert(pair.x == ((3 * 8 + y) * 16 + x) * 2 && pair.y == pair.x + 1);
  assert(tex1DLayered<short>(lines, x, 2) == 32 + x);
  assert(tex1DLayered<short>(lines, x, 7) == 32 + x);
  assert(tex2DLayered<unsigned>(pictures, x, y, 1) == 64 + y * 16 + x);
  sum[threadIdx.x] = pair.x + colour.z;
}
