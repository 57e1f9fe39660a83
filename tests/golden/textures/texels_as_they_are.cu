// textures: texture float[7]; texture(border) uchar4[5][6]; texture(wrap,normalized) short2[4][4]; texture(mirror,normalized) int[9]; texture(layered) unsigned[3][7]; texture(wrap) float[7]
// Without a filter. The last one asks to wrap with coordinates that are not normalized.
#include "sampled.cuh"

__global__ void shows(cudaTextureObject_t line, cudaTextureObject_t picture, cudaTextureObject_t ring, cudaTextureObject_t mirrors,
                      cudaTextureObject_t layers, cudaTextureObject_t wrapped) {
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 64; ++i) {
    const float x = -2.1f + 0.171f * i, y = -1.3f + 0.131f * i;
    const uchar4 colour = tex2D<uchar4>(picture, x, y);
    const short2 pair = tex2D<short2>(ring, x * 0.3f, y * 0.4f);
    show("line", i, tex1D<float>(line, x));
    show("picture", i, static_cast<float>(colour.x + 256 * colour.w));
    show("ring", i, static_cast<float>(pair.x));
    show("mirrors", i, static_cast<float>(tex1D<int>(mirrors, x * 0.7f) & 0xFFFFFF));
    show("layers", i, static_cast<float>(tex1DLayered<unsigned>(layers, x, static_cast<int>(i % 7) - 2) & 0xFFFFFF));
    show("wrapped", i, tex1D<float>(wrapped, x));
  }
}
