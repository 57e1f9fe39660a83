// unchecked-error in line 20:
// says: `cudaEventElapsedTime` fails here
#include <cstdio>

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  float *d_x, ms = 0;
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaMalloc(&d_x, 400);
  cudaMemset(d_x, 0, 400);
  cudaEventRecord(start);
  scale<<<1, 128>>>(d_x, 100);
  cudaEventRecord(stop);
  cudaEventElapsedTime(&ms, start, stop);
  printf("%d\n", ms >= 0);
  cudaDeviceSynchronize();
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFree(d_x);
}
