// copy-size in line 11:
// says: d_x,4096,1024
#include <cstdlib>

__global__ void clear(float *x) { x[threadIdx.x] = 0; }

int main() {
  const int n = 1024;
  float *x = (float *)calloc(n, sizeof(float)), *d_x;
  cudaMalloc(&d_x, n);
  cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  clear<<<1, 256>>>(d_x);
  cudaFree(d_x);
  free(x);
}
