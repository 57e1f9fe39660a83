// run:
// prints: 55\n
#include <cstdio>

__global__ void sum(const int *numbers, int n, int *total) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += numbers[i];
  *total = sum;
}

int main() {
  const int n = 10;
  int *numbers, *total, *d_numbers, *d_total;
  cudaSetDeviceFlags(cudaDeviceMapHost);
  cudaHostAlloc((void **)&numbers, n * sizeof(int), cudaHostAllocMapped);
  cudaHostAlloc((void **)&total, sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < n; ++i) numbers[i] = i + 1;
  cudaHostGetDevicePointer((void **)&d_numbers, numbers, 0);
  cudaHostGetDevicePointer((void **)&d_total, total, 0);
  sum<<<1, 1>>>(d_numbers, n, d_total);
  cudaDeviceSynchronize();
  printf("%d\n", *total);
  cudaFreeHost(numbers);
  cudaFreeHost(total);
}
