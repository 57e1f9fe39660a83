// unasked-launch in line 13:
// says: 1024
#include <cstdio>

__global__ void ones(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  const int n = 4096;
  float *x, *d_x;
  x = new float[n]();
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMemset(d_x, 0, n * sizeof(float));
  ones<<<2, 2048>>>(d_x);
  cudaMemcpy(x, d_x, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", x[0]);
  cudaFree(d_x);
  delete[] x;
}
