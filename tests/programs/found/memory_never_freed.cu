// leak in line 10:
// says: d_b
#include <cstdio>

__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }

int main() {
  int numbers[64] = {1, 2, 3}, *d_a, *d_b;
  cudaMalloc(&d_a, sizeof(numbers));
  cudaMalloc(&d_b, sizeof(numbers));
  cudaMemcpy(d_a, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  copy<<<1, 64>>>(d_a, d_b);
  cudaMemcpy(numbers, d_b, sizeof(numbers), cudaMemcpyDeviceToHost);
  printf("%d\n", numbers[2]);
  cudaFree(d_a);
  return 0;
}
