// unasked-launch in line 16: 100
// says: 0
#include <cstdio>
#include <cstdlib>

__global__ void ones(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024;
  int *d_x, first = 0;
  cudaMalloc(&d_x, n * sizeof(int));
  cudaMemset(d_x, 0, n * sizeof(int));
  ones<<<n / 256, 256>>>(d_x, n);
  cudaMemcpy(&first, d_x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", first);
  cudaFree(d_x);
}
