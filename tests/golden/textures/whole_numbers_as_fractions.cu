// textures: texture(asfloat) uchar4[8][8]; texture(asfloat) char[64]; texture(asfloat) short2[32]; texture(asfloat,linear) uchar[64]; texture(asfloat,linear,normalized,wrap) ushort2[4][8]; texture(asfloat,linear) short[16]
// Whole numbers that are read as 0 to 1, or -1 to 1, with and without a filter.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t colours, cudaTextureObject_t bytes, cudaTextureObject_t pairs, cudaTextureObject_t line,
                      cudaTextureObject_t ring, cudaTextureObject_t shorts) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 64; ++i) {
    show("colours", i, tex2D<float4>(colours, i % 8 + 0.5f, i / 8 + 0.5f).w);
    show("bytes", i, tex1D<float>(bytes, i + 0.5f));
    show("pairs", i, tex1D<float2>(pairs, i / 2 + 0.5f).y);
    show("line", i, tex1D<float>(line, i + 0.173f * (i % 7)));
    show("ring", i, tex2D<float2>(ring, 0.061f * i, 0.143f * i).x);
    show("shorts", i, tex1D<float>(shorts, 0.3f * i));
  }
}
