// check: --kernel looks --block 32 --arg 'texture(linear) float[64]=iota' --arg 'texture(linear,border) float[4][8]=1' --arg 'texture(wrap,normalized) float[64]=iota' --arg 'texture(mirror,normalized) float[64]=iota' --arg 'texture(asfloat,linear,normalized,wrap) uchar[64]=255' --arg 'texture(asfloat) short2[4]={-32768,32767,0,1,0,0,0,0}' --arg 'float[32]=0'
#include <cuda_runtime.h>
#include <cassert>

__global__ void looks(cudaTextureObject_t line, cudaTextureObject_t framed, cudaTextureObject_t ring, cudaTextureObject_t mirrors,
                      cudaTextureObject_t bytes, cudaTextureObject_t pairs, float* out) {
  const float x = threadIdx.x;
  assert(tex1D<float>(line, x + 0.5f) == x);        // the middle of a texel
  assert(tex1D<float>(line, x + 1.0f) == x + 0.5f);  // between two
  assert(tex1D<float>(line, 0.1f) == 0.0f && tex1D<float>(line, 64.0f) == 63.0f);
  assert(tex1D<float>(line, 10.5f + 0.3f) == 10.0f + 77.0f / 256.0f);  // a weight has 8 bits behind its point
  assert(tex2D<float>(framed, 0.0f, 2.0f) == 0.5f);
  assert(tex2D<float>(framed, 8.0f, 4.0f) == 0.25f);
  assert(tex2D<float>(framed, -5.0f, 2.0f) == 0.0f);
  assert(tex1D<float>(ring, (x + 64.5f) / 64.0f) == x);
  assert(tex1D<float>(ring, (x - 63.5f) / 64.0f) == x);
  assert(tex1D<float>(mirrors, (-0.5f - x) / 64.0f) == x);
  assert(tex1D<float>(mirrors, (64.5f + x) / 64.0f) == 63.0f - x);
  assert(tex1D<float>(bytes, x * 0.37f) == 1.0f);
  const float2 pair = tex1Dfetch<float2>(pairs, 0);
  assert(pair.x == -1.0f && pair.y == 1.0f);
  out[threadIdx.x] = tex1D<float>(line, x);
}
