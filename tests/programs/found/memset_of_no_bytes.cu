// swapped-sizes in line 10:
// says: cudaMemset
#include <cstdio>

__global__ void mark(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *x, result[16];
  cudaMalloc(&x, sizeof(result));
  cudaMemset(x, sizeof(result), 0);
  mark<<<1, 8>>>(x);
  cudaMemcpy(result, x, sizeof(result), cudaMemcpyDeviceToHost);
  printf("%d\n", result[0]);
  cudaFree(x);
}
