// copy-direction in line 12:
// says: c
#include <stdio.h>
#include <stdlib.h>

__global__ void ones(int *c) { c[threadIdx.x] = 1; }

int main() {
  int *c = (int *)calloc(128, sizeof(int)), *d_c;
  cudaMalloc((void **)&d_c, 128 * sizeof(int));
  ones<<<1, 128>>>(d_c);
  cudaMemcpy(c, d_c, 128 * sizeof(int), cudaMemcpyHostToDevice);
  printf("%d\n", c[5]);
  cudaFree(d_c);
  free(c);
  return 0;
}
