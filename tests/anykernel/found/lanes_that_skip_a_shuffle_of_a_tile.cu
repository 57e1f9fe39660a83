// barrier-divergence in line 9: --kernel sum --block 32 --arg 'int[1]' --arg int=20
#include <cooperative_groups.h>
struct Pair {
  int a, b;
};
__global__ void sum(int* out, int n) {
  auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  if (threadIdx.x < n) {
    Pair first = tile.shfl(Pair{1, 2}, 0);
    if (threadIdx.x == 0) *out = first.a;
  }
  __syncwarp();
}
