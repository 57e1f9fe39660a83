// run:
// prints: 4 streams, 0 wrong\n
// Pinned memory goes to the device and back in four pieces, each in a stream of its own.
#include <cstdio>

__global__ void square(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

int main() {
  const int streams = 4, n = 4096, each = n / streams;
  float *host, *device;
  if (cudaMallocHost(&host, n * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&device, n * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) host[i] = i % 100;
  cudaStream_t stream[streams];
  for (int s = 0; s < streams; ++s) cudaStreamCreate(&stream[s]);
  for (int s = 0; s < streams; ++s) {
    const int start = s * each;
    cudaMemcpyAsync(device + start, host + start, each * sizeof(float), cudaMemcpyHostToDevice, stream[s]);
    square<<<(each + 127) / 128, 128, 0, stream[s]>>>(device + start, each);
    cudaMemcpyAsync(host + start, device + start, each * sizeof(float), cudaMemcpyDeviceToHost, stream[s]);
  }
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != (float)((i % 100) * (i % 100));
  printf("%d streams, %d wrong\n", streams, wrong);
  for (int s = 0; s < streams; ++s) cudaStreamDestroy(stream[s]);
  cudaFreeHost(host);
  cudaFree(device);
}
