// check: --kernel count --block 64 --arg 'const int[64]=random(0,5)' --arg 'int[6]=0' --arg 'int[2]=0'
// The lanes with one label add their number with one atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void count(const int* labels, int* counts, int* odd) {
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int label = labels[threadIdx.x];
  const cg::coalesced_group alike = cg::labeled_partition(warp, label);
  assert(cg::reduce(alike, label, cg::plus<int>()) == label * (int)alike.size());
  assert(alike.meta_group_rank() < alike.meta_group_size());
  if (alike.thread_rank() == 0) atomicAdd(&counts[label], alike.size());
  const auto half = cg::binary_partition(warp, label % 2 == 1);
  const int sum = cg::reduce(half, 1, cg::plus<int>());
  assert(sum == half.num_threads());
  if (label % 2 == 1) cg::invoke_one(half, [&] { atomicAdd(odd, sum); });
  if (label % 2 == 0) {
    const cg::coalesced_group together = cg::coalesced_threads();
    const cg::coalesced_group pairs = cg::tiled_partition(together, 2);
    assert(pairs.size() <= 2 && pairs.meta_group_rank() == together.thread_rank() / 2);
    const cg::coalesced_group again = cg::labeled_partition(together, label);
    assert(again.size() <= together.size());
  }
}
