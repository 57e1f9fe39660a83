// run:
// prints: pi is about 3.1\n
#include <curand_kernel.h>

#include <cstdio>

__global__ void throw_darts(unsigned long long seed, int each, int *hits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curandState state;
  curand_init(seed, i, 0, &state);
  int mine = 0;
  for (int k = 0; k < each; ++k) {
    const float x = curand_uniform(&state), y = curand_uniform(&state);
    mine += x * x + y * y <= 1;
  }
  atomicAdd(hits, mine);
}

int main() {
  int *hits, result = 0;
  cudaMallocManaged(&hits, sizeof(int));
  *hits = 0;
  throw_darts<<<4, 64>>>(1234, 100, hits);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  result = *hits;
  printf("pi is about %.1f\n", 4.0 * result / (4 * 64 * 100));
  cudaFree(hits);
}
