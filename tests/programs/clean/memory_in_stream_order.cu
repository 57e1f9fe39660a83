// run:
// prints: 1 3 5 7\n
#include <cstdio>

__global__ void odd(int *x) { x[threadIdx.x] = 2 * threadIdx.x + 1; }

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *x, numbers[4];
  if (cudaMallocAsync((void **)&x, sizeof(numbers), stream) != cudaSuccess) return 1;
  odd<<<1, 4, 0, stream>>>(x);
  cudaMemcpyAsync(numbers, x, sizeof(numbers), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(x, stream);
  cudaStreamSynchronize(stream);
  printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  cudaStreamDestroy(stream);
}
