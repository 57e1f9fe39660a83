// run: 777 96 --scale 3
// prints: 777 numbers in blocks of 96, times 3: 904428\n
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void scale(int *x, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s N BLOCK [--scale S]\n", argv[0]);
    return 2;
  }
  const int n = atoi(argv[1]), block = atoi(argv[2]);
  int by = 1;
  if (argc == 5 && strcmp(argv[3], "--scale") == 0) by = atoi(argv[4]);
  int *x = new int[n], *d_x;
  for (int i = 0; i < n; ++i) x[i] = i;
  cudaMalloc(&d_x, n * sizeof(int));
  cudaMemcpy(d_x, x, n * sizeof(int), cudaMemcpyHostToDevice);
  scale<<<(n + block - 1) / block, block>>>(d_x, n, by);
  cudaMemcpy(x, d_x, n * sizeof(int), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  printf("%d numbers in blocks of %d, times %d: %ld\n", n, block, by, sum);
  cudaFree(d_x);
  delete[] x;
  return 0;
}
