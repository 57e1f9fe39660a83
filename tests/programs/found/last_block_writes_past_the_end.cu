// out-of-bounds in line 7:
// says: x
#include <cstdio>

__global__ void ones(float *x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1;
}

int main() {
  const int n = 1000;
  float *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  ones<<<(n + 255) / 256, 256>>>(d_x);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  (void)cudaFree(d_x);
}
