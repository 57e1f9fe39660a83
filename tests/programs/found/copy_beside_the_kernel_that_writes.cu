// copy-race in line 15:
// says: x
#include <cstdio>

__global__ void squares(int *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
  int *result, *x;
  cudaStream_t work, copies;
  cudaStreamCreate(&work);
  cudaStreamCreate(&copies);
  cudaMallocHost(&result, 64 * sizeof(int));
  cudaMalloc(&x, 64 * sizeof(int));
  squares<<<1, 64, 0, work>>>(x);
  cudaMemcpyAsync(result, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, copies);
  cudaDeviceSynchronize();
  printf("%d\n", result[8]);
  cudaStreamDestroy(work);
  cudaStreamDestroy(copies);
  cudaFreeHost(result);
  cudaFree(x);
}
