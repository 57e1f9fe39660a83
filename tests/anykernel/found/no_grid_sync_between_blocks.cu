// race of parts in line 13: --cooperative --kernel total --grid 4 --block 32 --arg 'float[4]' --arg 'float[4]'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void total(float* parts, float* totals) {
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x;
  grid.sync();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += parts[i];
    totals[blockIdx.x] = sum;
    parts[blockIdx.x] = 0;
  }
}
