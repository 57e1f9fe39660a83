// check: --cooperative --kernel sum --grid 4 --block 64 --arg 'const float[256]=iota' --arg 'float[256]' --arg 'float[1]'
// Behind the grid's barrier, one block goes on alone and uses barriers of its own.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum(const float* A, float* squares, float* total) {
  __shared__ float part[64];
  const cg::grid_group grid = cg::this_grid();
  squares[grid.thread_rank()] = A[grid.thread_rank()] * A[grid.thread_rank()];
  grid.sync();
  if (blockIdx.x != 0) return;
  float mine = 0;
  for (int i = threadIdx.x; i < 256; i += 64) mine += squares[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = part[0];
}
