// run:
// prints: largest error 0\n
#include <math.h>

#include <iostream>

__global__ void add(int n, float *x, float *y) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  int stride = blockDim.x * gridDim.x;
  for (int i = index; i < n; i += stride) y[i] = x[i] + y[i];
}

int main(void) {
  int n = 1 << 14;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  add<<<8, 256>>>(n, x, y);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) x[i] = y[i];
  add<<<8, 256>>>(n, x, y);
  cudaDeviceSynchronize();
  float largest = 0.0f;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(y[i] - 6.0f));
  std::cout << "largest error " << largest << std::endl;
  cudaFree(x);
  cudaFree(y);
  return 0;
}
