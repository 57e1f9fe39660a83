// swapped-sizes in line 11:
// says: 40,2000
#include <cstdio>

__global__ void ones(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  const int threads = 40, blocks = 2000, n = threads * blocks;
  int *x, last = 0;
  cudaMalloc(&x, n * sizeof(int));
  ones<<<threads, blocks>>>(x);
  if (cudaMemcpy(&last, x + n - 1, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("%d\n", last);
  cudaFree(x);
}
