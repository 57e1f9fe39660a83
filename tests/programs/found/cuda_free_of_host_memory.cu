// bad-free in line 13:
// says: x
#include <cstdlib>

__global__ void zero(int *x) { x[threadIdx.x] = 0; }

int main() {
  int *x = (int *)malloc(8 * sizeof(int)), *d_x;
  cudaMalloc(&d_x, 8 * sizeof(int));
  zero<<<1, 8>>>(d_x);
  cudaMemcpy(x, d_x, 8 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(x);
}
