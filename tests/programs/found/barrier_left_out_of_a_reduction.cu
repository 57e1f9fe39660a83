// race in line 10:
// says: part
#include <cstdio>

__global__ void sum(const int *x, int *total) {
  __shared__ int part[256];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *total = part[0];
}

int main() {
  int x[256], *d_x, *total, result;
  for (int i = 0; i < 256; ++i) x[i] = i;
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&total, sizeof(int));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  sum<<<1, 256>>>(d_x, total);
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(d_x);
  cudaFree(total);
}
