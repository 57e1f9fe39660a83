// bad-free in line 18:
// says: kept,a kernel allocated
// What a kernel gets from cudaMalloc, only a kernel can free.
#include <cstdio>

__global__ void make(int **all) {
  cudaMalloc(&all[0], 4 * sizeof(int));
  all[0][0] = 1;
}
__global__ void drop(int **all) { cudaFree(all[0]); }

int main() {
  int **all, *kept;
  cudaMalloc(&all, sizeof *all);
  make<<<1, 1>>>(all);
  cudaMemcpy(&kept, all, sizeof kept, cudaMemcpyDeviceToHost);
  printf("%d\n", kept != nullptr);
  if (cudaFree(kept) != cudaSuccess) drop<<<1, 1>>>(all);
  cudaFree(all);
}
