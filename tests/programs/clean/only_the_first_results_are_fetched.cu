// run:
// prints: 1 1\n
#include <cstdio>

__global__ void add(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

// A quarter of the elements, one element by its type, and one by its name: parts that were meant.
int main() {
  const int n = 64;
  double *x, first, quarter[n / 4];
  int pair[2];
  cudaMalloc(&x, n * sizeof(double));
  cudaMemset(x, 0, n * sizeof(double));
  add<<<1, n>>>(x, n);
  cudaMemcpy(quarter, x, n / 4 * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(&first, x, sizeof(first), cudaMemcpyDeviceToHost);
  int *counts;
  cudaMalloc(&counts, 4 * sizeof(pair));
  cudaMemset(counts, 0, 4 * sizeof(pair));
  cudaMemcpy(pair, counts, sizeof(pair), cudaMemcpyDeviceToHost);
  printf("%.0f %.0f\n", first, quarter[n / 4 - 1] + pair[0] + pair[1]);
  cudaFree(counts);
  cudaFree(x);
}
