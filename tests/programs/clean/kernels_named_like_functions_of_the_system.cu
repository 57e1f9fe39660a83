// run:
// prints: 2 4 6 8\n
// Headers of the host declare functions with the kernels' names. Only the parameters tell which is meant.
#include <unistd.h>

#include <cstdio>

__global__ void dup(const int *from, int *to, int n) {
  const int i = threadIdx.x;
  if (i < n) to[i] = from[i];
}

__global__ void write(int *numbers, int n) {
  const int i = threadIdx.x;
  if (i < n) numbers[i] *= 2;
}

int main() {
  int numbers[4] = {1, 2, 3, 4}, *a, *b;
  cudaMalloc(&a, sizeof(numbers));
  cudaMalloc(&b, sizeof(numbers));
  cudaMemcpy(a, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  dup<<<1, 4>>>(a, b, 4);
  write<<<1, 4>>>(b, 4);
  cudaMemcpy(numbers, b, sizeof(numbers), cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
  cudaFree(a);
  cudaFree(b);
  return close(-1) == 0;
}
