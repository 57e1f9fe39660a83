// short-copy in line 17:
// says: 8 bytes of `d_x`
#include <cstdio>
#include <cstdlib>

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  int n = 500;
  float *x = (float *)malloc(n * sizeof(float)), *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMemset(d_x, 0, n * sizeof(float));
  scale<<<2, 256>>>(d_x, n);
  cudaMemcpy(x, d_x, sizeof(x), cudaMemcpyDeviceToHost);
  printf("%f\n", x[0]);
  cudaFree(d_x);
  free(x);
}
