// uninitialized-read in line 7:
// says: total
#include <cstdio>

__global__ void sum(const int *x, int *total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, x[i]);
}

int main() {
  int x[100], *d_x, *d_total, total = 0;
  for (int i = 0; i < 100; ++i) x[i] = 1;
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&d_total, sizeof(int));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  sum<<<1, 128>>>(d_x, d_total, 100);
  cudaMemcpy(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", total);
  cudaFree(d_x);
  cudaFree(d_total);
}
