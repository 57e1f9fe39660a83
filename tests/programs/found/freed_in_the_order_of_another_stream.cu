// copy-race in line 16:
// says: x,line 15
// The free is in the order of the second stream, and nothing says that the kernel in the first has ended.
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *x;
  cudaStream_t one, two;
  cudaStreamCreate(&one);
  cudaStreamCreate(&two);
  cudaMallocAsync(&x, 64 * sizeof(int), one);

  fill<<<1, 64, 0, one>>>(x);
  cudaFreeAsync(x, two);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
}
