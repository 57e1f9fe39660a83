// device-pointer-on-host in line 12:
// says: d_c
#include <cstdio>

__global__ void ones(int *c) { c[threadIdx.x] = 1; }

int main() {
  int *d_c;
  cudaMalloc(&d_c, 32 * sizeof(int));
  ones<<<1, 32>>>(d_c);
  cudaDeviceSynchronize();
  printf("%d\n", d_c[3]);
  cudaFree(d_c);
}
