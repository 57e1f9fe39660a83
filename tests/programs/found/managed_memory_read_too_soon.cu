// read-before-sync in line 15:
// says: x
#include <cstdio>

__global__ void squares(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i * i;
}

int main() {
  const int n = 1000;
  int *x;
  cudaMallocManaged(&x, n * sizeof(int));
  squares<<<4, 256>>>(x, n);
  printf("%d\n", x[10]);
  cudaDeviceSynchronize();
  cudaFree(x);
}
