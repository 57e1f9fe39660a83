// check: --kernel group --grid 2 --block 64 --arg 'int[384]=iota' --arg 'int[2]'
// The collective copy of cooperative groups, in a loop over tiles.
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void group(const int* values, int* sums) {
  __shared__ int tile[96];
  cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (int part = 0; part < 2; ++part) {
    cg::memcpy_async(block, tile, values + blockIdx.x * 192 + part * 96, sizeof(int) * 96);
    cg::wait(block);
    for (int i = 0; i < 96; ++i) sum += tile[i];
    block.sync();
  }
  if (block.thread_rank() == 0) sums[blockIdx.x] = sum;
  assert(blockIdx.x == 1 || sum == 191 * 96);
}
