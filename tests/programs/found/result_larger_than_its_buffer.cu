// copy-size in line 18:
// says: total,4
#include <cstdio>

__global__ void sum(const int *x, int *total, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *total = s;
}

int main() {
  int x[100], result[100], *d_x, *total;
  for (int i = 0; i < 100; ++i) x[i] = i;
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(d_x, total, 100);
  cudaMemcpy(result, total, sizeof(result), cudaMemcpyDeviceToHost);
  printf("%d\n", result[0]);
  cudaFree(d_x);
  cudaFree(total);
  return 0;
}
