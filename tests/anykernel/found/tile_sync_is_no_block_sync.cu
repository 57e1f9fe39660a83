// race in line 9: --kernel reverse --block 64 --arg 'int[64]=iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void reverse(int* A) {
  __shared__ int tile[64];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  tile[t] = A[t];  // the other warp reads it with nothing between
  warp.sync(); A[t] = tile[63 - t];
}
