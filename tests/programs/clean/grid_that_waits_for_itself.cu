// run:
// prints: 1024 threads, sum 523776\n
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void sum(int *values, int *total, int n) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  if (i < n) values[i] = i;
  grid.sync();
  if (i == 0)
    for (int k = 0; k < n; ++k) *total += values[k];
}

int main() {
  int supported = 0, blocks_at_once = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, sum, 256, 0);
  if (!supported || blocks_at_once < 1) return 1;
  int n = 1024, *values, *total, result;
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  void *arguments[] = {&values, &total, &n};
  if (cudaLaunchCooperativeKernel((void *)sum, 4, 256, arguments) != cudaSuccess) return 1;
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d threads, sum %d\n", n, result);
  cudaFree(values);
  cudaFree(total);
  return 0;
}
