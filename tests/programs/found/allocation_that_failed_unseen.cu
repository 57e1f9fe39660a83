// unchecked-error in line 9:
// says: cudaMalloc,out of memory
#include <cstdio>

__global__ void ones(char *x) { x[threadIdx.x] = 1; }

int main() {
  char *large = nullptr, *small;
  cudaMalloc(&large, size_t(1) << 52);
  cudaMalloc(&small, 64);
  ones<<<1, 64>>>(small);
  if (cudaDeviceSynchronize() == cudaSuccess) printf("done\n");
  cudaFree(small);
}
