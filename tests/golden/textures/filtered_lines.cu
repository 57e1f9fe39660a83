// textures: texture(linear) float[16]; texture(linear,border) float[16]; texture(linear,wrap,normalized) float[16]; texture(linear,mirror,normalized) float[16]; texture(linear) half[16]
// Weights of a linear filter in one dimension, also outside.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t clamped, cudaTextureObject_t framed, cudaTextureObject_t ring, cudaTextureObject_t mirrors,
                      cudaTextureObject_t halves) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 80; ++i) {
    const float x = -1.7f + 0.2501f * i, u = -1.3f + 0.0403f * i;
    show("clamped", i, tex1D<float>(clamped, x));
    show("framed", i, tex1D<float>(framed, x));
    show("ring", i, tex1D<float>(ring, u));
    show("mirrors", i, tex1D<float>(mirrors, u));
    show("halves", i, tex1D<float>(halves, x));
  }
}
