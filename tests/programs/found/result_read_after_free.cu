// use-after-free in line 12:
// says: d_x
#include <cstdio>

__global__ void ones(int *x) { x[threadIdx.x] = 1; }

int main() {
  int x[32], *d_x;
  cudaMalloc(&d_x, sizeof(x));
  ones<<<1, 32>>>(d_x);
  cudaFree(d_x);
  if (cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost) != cudaSuccess) {
    printf("cannot copy\n");
  }
}
