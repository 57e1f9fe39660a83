// read-before-sync in line 15:
// says: result
#include <cstdio>

__global__ void squares(int *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
  int *result, *x;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&result, 64 * sizeof(int));
  cudaMalloc(&x, 64 * sizeof(int));
  squares<<<1, 64, 0, stream>>>(x);
  cudaMemcpyAsync(result, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("%d\n", result[8]);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(result);
  cudaFree(x);
}
