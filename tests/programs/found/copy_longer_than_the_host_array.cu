// copy-size in line 15:
// says: h_x,400,200
#include <cstdlib>

__global__ void twice(float *x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  const int n = 100;
  float *h_x = (float *)calloc(n / 2, sizeof(float));
  float *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMemcpy(d_x, h_x, n * sizeof(float), cudaMemcpyHostToDevice);
  twice<<<1, 128>>>(d_x, n);
  cudaDeviceSynchronize();
  cudaFree(d_x);
  free(h_x);
  return 0;
}
