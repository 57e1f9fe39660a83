// launch-race in line 16:
// says: most
#include <cstdio>

__device__ int most;

__global__ void keep(int number) { most = max(most, number); }

int main() {
  const int zero = 0;
  cudaStream_t one, other;
  cudaStreamCreate(&one);
  cudaStreamCreate(&other);
  cudaMemcpyToSymbol(most, &zero, sizeof(int));
  keep<<<1, 1, 0, one>>>(3);
  keep<<<1, 1, 0, other>>>(5);
  cudaDeviceSynchronize();
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
}
