// textures: texture(linear) float[6][8]; texture(linear,mirror,normalized) float2[6][8]; texture(linear,border) float[3][4][5]; texture(linear,layered) float4[3][4][5]
// Linear filters in two and three dimensions.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t picture, cudaTextureObject_t mirrors, cudaTextureObject_t volume, cudaTextureObject_t layers) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 90; ++i) {
    const float x = -1.3f + 0.611f * (i % 18), y = -0.9f + 0.937f * (i / 9);
    show("picture", i, tex2D<float>(picture, x, y));
    show("mirrors", i, tex2D<float2>(mirrors, x / 7.0f, y / 5.0f).y);
    show("volume", i, tex3D<float>(volume, x, y, 0.37f * (i % 11)));
    show("layers", i, tex2DLayered<float4>(layers, x, y, static_cast<int>(i % 6) - 1).z);
  }
}
