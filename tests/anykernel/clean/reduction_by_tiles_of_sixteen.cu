// check: --kernel sum --grid 2 --block 96 --arg 'const int[500]=iota' --arg 'int[1]=0' --arg 'int[1]=0' --arg int=500
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void sum(const int* A, int* total, int* tiles, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const cg::grid_group grid = cg::this_grid();
  int value = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) value += A[i];
  const int by_tile = cg::reduce(tile, value, cg::plus<int>()), up_to_here = cg::inclusive_scan(tile, value);
  assert(tile.shfl(up_to_here, 15) == by_tile);
  assert(cg::exclusive_scan(tile, value) == up_to_here - value);
  int same = 0;
  tile.match_all(by_tile, same);
  assert(same);
  if (tile.thread_rank() == 0) {
    const cg::coalesced_group leaders = cg::coalesced_threads();
    assert(leaders.size() == 2);
    const int by_warp = cg::reduce(leaders, by_tile, cg::plus<int>());
    if (leaders.thread_rank() == 0) {
      atomicAdd(total, by_warp);
      atomicAdd(tiles, leaders.size());
    }
  }
}
