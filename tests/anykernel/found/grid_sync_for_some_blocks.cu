// barrier-divergence in line 8: --cooperative --kernel halves --grid 4 --block 32 --arg 'int[128]=iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void halves(int* A) {
  if (blockIdx.x % 2 == 0) {
    A[blockIdx.x * 32 + threadIdx.x] += 1;
    cg::this_grid().sync();
  }
}
