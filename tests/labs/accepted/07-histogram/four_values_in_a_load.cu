// int4 loads with a rest, and cooperative groups for the block.
#include <tilelab/device.cuh>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void count(unsigned* own, int value, int bin_count) {
  if (0 <= value && value < bin_count) atomicAdd(&own[value], 1u);
}

constexpr int threads = 256;

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  return LaunchConfig{dim3((n + 16 * threads - 1) / (16 * threads)), dim3(threads), static_cast<unsigned>(bin_count * sizeof(unsigned))};
}

__global__ void histogram(const int* __restrict__ values, unsigned* __restrict__ bins, int n, int bin_count) {
  extern __shared__ unsigned own[];
  const auto block = cg::this_thread_block();
  for (int b = block.thread_rank(); b < bin_count; b += block.size()) own[b] = 0;
  block.sync();
  const int stride = gridDim.x * block.size(), first = blockIdx.x * block.size() + block.thread_rank();
  for (int i = first; i < n / 4; i += stride) {
    const int4 four = reinterpret_cast<const int4*>(values)[i];
    for (const int value : {four.x, four.y, four.z, four.w}) count(own, value, bin_count);
  }
  if (first < n % 4) count(own, values[n - 1 - first], bin_count);
  block.sync();
  for (int b = block.thread_rank(); b < bin_count; b += block.size()) atomicAdd(&bins[b], own[b]);
}
