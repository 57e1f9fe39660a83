// run:
// prints: the host counted, the device is done: 26\n
#include <cstdio>

#define checkCudaErrors(call) \
  if ((call) != cudaSuccess) return printf("line %d\n", __LINE__)

__global__ void increment(int *data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] += value; }

int main() {
  const int n = 1 << 12, bytes = n * sizeof(int);
  int *host, *device;
  checkCudaErrors(cudaMallocHost((void **)&host, bytes));
  for (int i = 0; i < n; ++i) host[i] = 0;
  checkCudaErrors(cudaMalloc((void **)&device, bytes));
  checkCudaErrors(cudaMemset(device, 255, bytes));
  cudaEvent_t start, stop;
  checkCudaErrors(cudaEventCreate(&start));
  checkCudaErrors(cudaEventCreate(&stop));
  cudaEventRecord(start, 0);
  cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, 0);
  increment<<<n / 512, 512, 0, 0>>>(device, 26);
  cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, 0);
  cudaEventRecord(stop, 0);
  unsigned long counter = 1;
  while (cudaEventQuery(stop) == cudaErrorNotReady) counter++;
  if (counter > 0) printf("the host counted, the device is done: %d\n", host[n - 1]);
  checkCudaErrors(cudaEventDestroy(start));
  checkCudaErrors(cudaEventDestroy(stop));
  checkCudaErrors(cudaFreeHost(host));
  checkCudaErrors(cudaFree(device));
  return 0;
}
