// textures: texture(linear) float[4]
// How a weight is rounded to 8 bits behind its point.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t line) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 400; ++i) show("line", i, tex1D<float>(line, 1.5f + i / 2048.0f));
}
