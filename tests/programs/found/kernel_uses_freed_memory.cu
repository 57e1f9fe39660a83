// use-after-free in line 13:
// says: d_x
#include <cstdio>

__global__ void increment(int *x) { x[threadIdx.x] += 1; }

int main() {
  int x[32] = {}, *d_x, *d_y;
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&d_y, sizeof(x));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  cudaFree(d_x);
  increment<<<1, 32>>>(d_x);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  (void)cudaFree(d_y);
}
