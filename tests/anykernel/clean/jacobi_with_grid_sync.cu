// check: --cooperative --kernel jacobi --grid 4 --block 32 --arg 'float[130]=iota' --arg 'float[130]=0' --arg int=5
// Sweeps of a stencil in one launch. What a block keeps in shared memory and in registers outlives the grid's barriers.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void jacobi(float* now, float* next, int sweeps) {
  __shared__ float first[32];
  cg::grid_group grid = cg::this_grid();
  assert(grid.is_valid() && grid.size() == 128 && grid.num_blocks() == 4);
  const unsigned i = grid.thread_rank() + 1;
  first[threadIdx.x] = now[i];
  if (i == 1) {
    next[0] = now[0];
    next[129] = now[129];
  }
  const float mine = now[i];
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    next[i] = (now[i - 1] + now[i + 1]) / 2;
    grid.sync();
    float* other = now;
    now = next;
    next = other;
  }
  assert(first[threadIdx.x] == mine && mine == float(i));
  assert(now[i] == float(i));  // a straight line stays as it is
}
