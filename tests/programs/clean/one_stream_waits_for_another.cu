// run:
// prints: 2049 2050 2051\n
// What one stream makes, the other uses: an event puts them in order.
#include <cstdio>

__global__ void fill(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value + threadIdx.x; }
__global__ void add_to_each(int *x, const int *y) { x[blockIdx.x * blockDim.x + threadIdx.x] = y[blockIdx.x * blockDim.x + threadIdx.x] + 1; }

int main() {
  const int n = 1024;
  int *made, *used, result[3];
  cudaMalloc(&made, n * sizeof(int));
  cudaMalloc(&used, n * sizeof(int));
  cudaStream_t maker, user;
  cudaStreamCreateWithFlags(&maker, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&user, cudaStreamNonBlocking);
  cudaEvent_t ready;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  fill<<<n / 256, 256, 0, maker>>>(made, 2048);
  cudaEventRecord(ready, maker);
  cudaStreamWaitEvent(user, ready, 0);
  add_to_each<<<n / 256, 256, 0, user>>>(used, made);
  cudaMemcpyAsync(result, used, sizeof result, cudaMemcpyDeviceToHost, user);
  cudaStreamSynchronize(user);
  printf("%d %d %d\n", result[0], result[1], result[2]);
  cudaEventDestroy(ready);
  cudaStreamDestroy(maker);
  cudaStreamDestroy(user);
  cudaFree(made);
  cudaFree(used);
  return 0;
}
