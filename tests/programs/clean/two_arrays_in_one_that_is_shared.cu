// run:
// prints: 1\n
#include <cstdio>

__global__ void rotate(const float *x, float *y, int n) {
  extern __shared__ float a[];
  int *b = (int *)(a + n);
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = (t + 1) % n;
  __syncthreads();
  y[t] = a[b[t]];
}

// The same memory, first for sums and then for numbers.
__global__ void again(int *y) {
  extern __shared__ float sums[];
  extern __shared__ int numbers[];
  sums[threadIdx.x] = 1.5f;
  __syncthreads();
  bool large = sums[31 - threadIdx.x] > 1;
  __syncthreads();
  numbers[threadIdx.x] = large ? 2 : 0;
  __syncthreads();
  y[threadIdx.x] = numbers[threadIdx.x];
}

int main() {
  float *x, *y, host[64];
  int *z;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&y, sizeof(host));
  cudaMalloc(&z, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  rotate<<<1, 64, 2 * sizeof(host)>>>(x, y, 64);
  cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g\n", host[0]);
  again<<<1, 32, 64 * sizeof(float)>>>(z);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
}
