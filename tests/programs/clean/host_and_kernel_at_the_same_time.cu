// run:
// prints: counted 261, the kernel went on\n
#include <cstdio>

// Waits for the host, but not for ever.
__global__ void wait_for(volatile int *go, long long clocks) {
  const long long begin = clock64();
  while (*go == 0 && clock64() - begin < clocks) {
  }
}

__global__ void count(int *events) { atomicAdd_system(events, 1); }

int main() {
  volatile int *go;
  int *events;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaHostAlloc((void **)&go, sizeof(int), cudaHostAllocPortable);
  cudaMallocManaged(&events, sizeof(int));
  *go = 0;
  *events = 0;
  wait_for<<<1, 1, 0, stream>>>(go, 100000);
  count<<<2, 128, 0, stream>>>(events);
  *go = 1;
  for (int i = 0; i < 5; ++i) __sync_fetch_and_add(events, 1);
  cudaStreamSynchronize(stream);
  printf("counted %d, the kernel went on\n", *events);
  cudaStreamDestroy(stream);
  cudaFreeHost((void *)go);
  cudaFree(events);
}
