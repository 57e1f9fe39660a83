// race of tile in line 12: --kernel group --block 64 --arg 'int[192]=iota' --arg 'int[64]'
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void group(const int* values, int* sums) {
  __shared__ int tile[96];
  cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (int part = 0; part < 2; ++part) {
    cg::memcpy_async(block, tile, values + part * 96, sizeof(int) * 96);
    cg::wait(block);
    for (int i = 0; i < 96; ++i) sum += tile[i];
  }
  sums[block.thread_rank()] = sum;
}
