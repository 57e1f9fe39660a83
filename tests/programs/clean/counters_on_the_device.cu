// run:
// prints: 334 of 1000, then 668\ntable 4 9 16\n
#include <cstdio>

__device__ int counted;
__device__ int table[8] = {1, 4, 9, 16};

__global__ void count_thirds(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 == 0) atomicAdd(&counted, 1);
}

int main() {
  int first = 0, second = 0, part[3];
  cudaMemcpyToSymbol(counted, &first, sizeof(int));
  count_thirds<<<4, 256>>>(1000);
  cudaMemcpyFromSymbol(&first, counted, sizeof(int));
  count_thirds<<<4, 256>>>(1000);
  int *address;
  cudaGetSymbolAddress((void **)&address, counted);
  cudaMemcpy(&second, address, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d of 1000, then %d\n", first, second);
  cudaMemcpyFromSymbol(part, table, sizeof(part), sizeof(int));
  printf("table %d %d %d\n", part[0], part[1], part[2]);
  return 0;
}
