// launch-race in line 19:
// says: `squares`, launched in line 18, writes it in line 5
#include <cstdio>

__global__ void squares(int *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }

__global__ void sum(const int *x, int *total) {
  for (int i = 0; i < 64; ++i) *total += x[i];
}

int main() {
  int *x, *total, result = 0;
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(total, &result, sizeof(int), cudaMemcpyHostToDevice);
  squares<<<1, 64>>>(x);
  sum<<<1, 1, 0, other>>>(x, total);
  cudaDeviceSynchronize();
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaStreamDestroy(other);
  cudaFree(x);
  cudaFree(total);
}
