// No constant memory: each block loads the mask into shared memory, where the picture's tile lies too. Blocks take several tiles.
#include <cuda_runtime.h>

#include <algorithm>

namespace {

constexpr int kTile = 32, kRadius = 2, kSpan = kTile + 2 * kRadius;

__global__ void tiles(const float* image, const float* mask, float* out, int2 size, int count) {
  __shared__ float weights[25];
  __shared__ float span[kSpan * kSpan];
  const int across = (size.x + kTile - 1) / kTile;
  if (threadIdx.x < 25) weights[threadIdx.x] = mask[threadIdx.x];
  for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
    const int left = tile % across * kTile, top = tile / across * kTile;
    for (int k = threadIdx.x; k < kSpan * kSpan; k += blockDim.x) {
      const int x = left + k % kSpan - kRadius, y = top + k / kSpan - kRadius;
      const bool inside = unsigned(x) < unsigned(size.x) && unsigned(y) < unsigned(size.y);
      span[k] = inside ? image[y * size.x + x] : 0.0f;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < kTile * kTile; k += blockDim.x) {
      const int x = k % kTile, y = k / kTile;
      float sum = 0.0f;
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) sum += weights[i * 5 + j] * span[(y + i) * kSpan + x + j];
      if (left + x < size.x && top + y < size.y) out[(top + y) * size.x + left + x] = sum;
    }
    __syncthreads();
  }
}

}  // namespace

void convolve(const float* image, const float* mask, float* out, int height, int width) {
  const int count = ((width + kTile - 1) / kTile) * ((height + kTile - 1) / kTile);
  tiles<<<std::min(count, 132), 256>>>(image, mask, out, make_int2(width, height), count);
  if (cudaGetLastError() == cudaSuccess) cudaDeviceSynchronize();
}
