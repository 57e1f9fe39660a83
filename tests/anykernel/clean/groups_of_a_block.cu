// check: --kernel sum --grid 2 --block 128 --arg 'const float[1000]=random' --arg 'float[2]' --arg int=1000
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ float sum_of(cg::thread_group group, float* scratch, float value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    scratch[rank] = value;
    group.sync();
    if (rank < half) value += scratch[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sum(const float* A, float* totals, int n) {
  __shared__ float scratch[128], warps[4];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  float value = 0;
  for (unsigned i = block.group_index().x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) value += A[i];
  const float by_warp = cg::reduce(tile, value, cg::plus<float>());
  if (tile.thread_rank() == 0) warps[tile.meta_group_rank()] = by_warp;
  cg::sync(block);
  const float by_block = sum_of(block, scratch, value);
  float eight = value;
  const auto part = cg::tiled_partition<8>(block);
  for (int distance = part.size() / 2; distance > 0; distance /= 2) eight += part.shfl_down(eight, distance);
  if (part.any(eight > 1e9f)) eight = 0;
  if (block.thread_rank() == 0) totals[blockIdx.x] = by_block + 0 * (warps[0] + warps[1] + warps[2] + warps[3] + eight);
}
