// launch-race in line 20:
// says: `twice` writes element 64 of `values` in line 8
#include <cstdio>

__global__ void fill(float *x) { x[threadIdx.x] = 1; }

__global__ void twice(float *x, int from) {
  x[from + threadIdx.x] = 2 * from;
}

int main() {
  float *values, result[128];
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaMalloc(&values, 128 * sizeof(float));
  cudaMemset(values, 0, 128 * sizeof(float));
  cudaDeviceSynchronize();
  fill<<<1, 96, 0, first>>>(values);
  twice<<<1, 64, 0, second>>>(values, 64);
  cudaDeviceSynchronize();
  cudaMemcpy(result, values, sizeof result, cudaMemcpyDeviceToHost);
  printf("%g\n", result[127]);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(values);
}
