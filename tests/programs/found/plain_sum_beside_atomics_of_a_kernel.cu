// read-before-sync in line 12:
// says: events
#include <cstdio>

__global__ void count(int *events) { atomicAdd_system(events, 1); }

int main() {
  int *events;
  cudaMallocManaged(&events, sizeof(int));
  *events = 0;
  count<<<2, 128>>>(events);
  *events += 5;
  cudaDeviceSynchronize();
  printf("%d\n", *events);
  cudaFree(events);
}
