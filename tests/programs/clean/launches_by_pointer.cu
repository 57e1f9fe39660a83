// run:
// prints: add 12 multiply 32 again 12\n
#include <cstdio>

__global__ void add(const int *a, const int *b, int *c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
__global__ void multiply(const int *a, const int *b, int *c) { c[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x]; }

typedef void (*Kernel)(const int *, const int *, int *);

static int last(Kernel kernel, int *a, int *b, int *c, int n) {
  kernel<<<1, n>>>(a, b, c);
  int result;
  cudaMemcpy(&result, c + n - 1, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}

int main() {
  int n = 4, numbers[] = {2, 4, 6, 8}, fours[] = {4, 4, 4, 4}, result = 0;
  int *a, *b, *c;
  cudaMalloc(&a, sizeof numbers);
  cudaMalloc(&b, sizeof numbers);
  cudaMalloc(&c, sizeof numbers);
  cudaMemcpy(a, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaMemcpy(b, fours, sizeof fours, cudaMemcpyHostToDevice);
  const Kernel kernels[] = {add, multiply};
  printf("add %d ", last(kernels[0], a, b, c, n));
  printf("multiply %d ", last(kernels[1], a, b, c, n));
  void *arguments[] = {&a, &b, &c};
  cudaLaunchKernel((const void *)add, dim3(1), dim3(n), arguments, 0, 0);
  cudaMemcpy(&result, &c[n - 1], sizeof(int), cudaMemcpyDeviceToHost);
  printf("again %d\n", result);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
