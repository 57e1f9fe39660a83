// check: --kernel normalize --grid 3 --block 64 --arg 'float[500]=iota' --arg 'float[3]' --arg int=500
// Each block adds up its part, and after the grid's barrier all of them need all parts. Some threads leave before.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void normalize(float* A, float* parts, int n) {
  __shared__ float sums[64];
  const cg::grid_group grid = cg::this_grid();
  float sum = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) sum += A[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = sums[0];
  cg::sync(grid);
  float total = 0;
  for (int block = 0; block < gridDim.x; ++block) total += parts[block];
  assert(total == 124750.0f);
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) A[i] /= total;
}

int main() {
  void* arguments[3] = {};
  cudaLaunchCooperativeKernel((void*)normalize, 3, 64, arguments, 0, 0);
}
