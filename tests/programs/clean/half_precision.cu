// run:
// prints: 0.5 1.75 3\n
#include <cuda_fp16.h>

#include <cstdio>

__global__ void saxpy(const __half *x, __half *y, __half a, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = __hfma(a, x[i], y[i]);
}

int main() {
  const int n = 3;
  __half x[n], y[n], *d_x, *d_y;
  for (int i = 0; i < n; ++i) {
    x[i] = __float2half(i);
    y[i] = __float2half(0.5f);
  }
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&d_y, sizeof(y));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y, sizeof(y), cudaMemcpyHostToDevice);
  saxpy<<<1, 32>>>(d_x, d_y, __float2half(1.25f), n);
  cudaMemcpy(y, d_y, sizeof(y), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", __half2float(y[0]), __half2float(y[1]), __half2float(y[2]));
  cudaFree(d_x);
  cudaFree(d_y);
}
