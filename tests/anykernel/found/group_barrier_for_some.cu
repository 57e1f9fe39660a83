// barrier-divergence in line 8: --kernel halves --block 64 --arg 'int[64]=iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void halves(int* A) {
  const cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x < 32) {
    block.sync();
    A[threadIdx.x] = 0;
  } else {
    block.sync();
  }
}
