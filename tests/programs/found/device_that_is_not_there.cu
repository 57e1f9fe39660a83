// unchecked-error in line 9:
// says: cudaSetDevice
#include <cstdio>

__global__ void one(int *x) { *x = 1; }

int main() {
  int *x, result;
  cudaSetDevice(99);
  cudaMalloc(&x, sizeof(int));
  one<<<1, 1>>>(x);
  cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(x);
}
