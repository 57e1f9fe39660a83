// textures: memory float[16]; memory uchar4[16]; memory(asfloat) char2[16]; texture float[4][6]; texture(border,normalized) int4[4][6]; surface float[4][8]; surface(layered) uchar4[3][8]; surface short2[2][3][4]
// tex1Dfetch() outside, tex2Dgather(), and surfaces that clamp and bring zeros.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t list, cudaTextureObject_t colours, cudaTextureObject_t pairs, cudaTextureObject_t picture,
                      cudaTextureObject_t framed, cudaSurfaceObject_t rows, cudaSurfaceObject_t lines, cudaSurfaceObject_t volume) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 32; ++i) {
    const int at = static_cast<int>(i) - 8;
    show("list", i, tex1Dfetch<float>(list, at));
    show("colours", i, tex1Dfetch<uchar4>(colours, at).y);
    show("pairs", i, tex1Dfetch<float2>(pairs, at).x);
    const float4 four = tex2Dgather<float4>(picture, 0.31f * i - 1, 0.23f * i - 1);
    show("gathered", i, four.x + 2 * four.y + 4 * four.z + 8 * four.w);
    show("component", i, static_cast<float>(tex2Dgather<int4>(framed, 0.04f * i, 0.031f * i, 2).w & 0xFFFF));
    show("clamped", i, surf2Dread<float>(rows, at * 4, at / 2, cudaBoundaryModeClamp));
    show("zeroed", i, surf2Dread<float>(rows, at * 4, at / 2, cudaBoundaryModeZero));
    show("layer", i, surf1DLayeredread<uchar4>(lines, at * 4, static_cast<int>(i % 3), cudaBoundaryModeClamp).z);
    show("volume", i, surf3Dread<short2>(volume, at * 4, at / 3, at / 4, cudaBoundaryModeClamp).y);
  }
}
