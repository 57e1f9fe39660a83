// crash in line 7: --kernel sync --grid 2 --block 32 --arg 'int[64]=iota'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sync(int* A) {
  A[blockIdx.x * 32 + threadIdx.x] += 1;
  cg::this_grid().sync();
}
