// uninitialized-read in line 12:
// says: a[1] as float,line 10 has written b[1] as int,begin at the same address
#include <cstdio>

__global__ void rotate(const float *x, float *y, int n) {
  extern __shared__ float a[];
  extern __shared__ int b[];
  int t = threadIdx.x;
  a[t] = x[t];
  b[t] = (t + 1) % n;
  __syncthreads();
  y[t] = a[b[t]];
}

int main() {
  float *x, *y, host[64] = {};
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&y, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  rotate<<<1, 64, 2 * sizeof(host)>>>(x, y, 64);
  cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g\n", host[0]);
  cudaFree(x);
  cudaFree(y);
}
