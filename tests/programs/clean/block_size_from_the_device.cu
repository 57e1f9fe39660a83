// run:
// prints: 12345 ones\n
#include <cstdio>

__global__ void ones(int *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 1;
}

int main() {
  int count = 0, device = -1;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 1) {
    printf("no device\n");
    return 1;
  }
  cudaSetDevice(0);
  cudaGetDevice(&device);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, device);
  if (properties.warpSize != 32 || properties.name[0] == '\0' || properties.major < 3) return 1;
  int least_grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, ones, 0, 0);
  if (block > properties.maxThreadsPerBlock || least_grid < properties.multiProcessorCount) return 1;
  const int n = 12345;
  int *x;
  cudaMalloc(&x, n * sizeof(int));
  ones<<<(n + block - 1) / block, block>>>(x, n);
  int *host = new int[n], sum = 0;
  cudaMemcpy(host, x, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) sum += host[i];
  printf("%d ones\n", sum);
  delete[] host;
  cudaFree(x);
  cudaDeviceReset();
  return 0;
}
