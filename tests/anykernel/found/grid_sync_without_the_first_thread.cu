// barrier-divergence in line 8: --cooperative --kernel most --grid 2 --block 32 --arg 'int[64]=iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void most(int* A) {
  if (threadIdx.x == 0) return;
  A[blockIdx.x * 32 + threadIdx.x] += 1;
  cg::this_grid().sync();
}
