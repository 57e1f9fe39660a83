// A tile of 32 threads adds up by cg::reduce, and the block by its tiles.
#include <tilelab/device.cuh>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return {dim3(n < 1024 ? 1 : n / 1024), dim3(256)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float sums[8];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  float mine = 0.0f;
  for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) mine += in[i];
  mine = cg::reduce(tile, mine, cg::plus<float>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = mine;
  block.sync();
  if (block.thread_rank() == 0) {
    float total = 0.0f;
    for (int k = 0; k < 8; ++k) total += sums[k];
    atomicAdd(sum, total);
  }
}
