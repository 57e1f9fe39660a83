// run:
// prints: 1 10 49 142\n-1 -10 -49 -142\n
#include <cstdio>

#define DEGREE 3
__constant__ float coefficients[DEGREE + 1];

__device__ float evaluate(float x) {
  float value = 0;
  for (int i = DEGREE; i >= 0; --i) value = value * x + coefficients[i];
  return value;
}

__global__ void polynomial(const float *x, float *y, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) y[i] = evaluate(x[i]);
}

int main() {
  const int n = 4;
  float x[n] = {0, 1, 2, 3}, y[n], given[DEGREE + 1] = {1, 2, 3, 4};
  float *d_x, *d_y;
  cudaMalloc(&d_x, sizeof(x));
  cudaMalloc(&d_y, sizeof(y));
  cudaMemcpy(d_x, x, sizeof(x), cudaMemcpyHostToDevice);
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (float &one : given) one = sign * (one < 0 ? -one : one);
    cudaMemcpyToSymbol(coefficients, given, sizeof(given));
    polynomial<<<1, 32>>>(d_x, d_y, n);
    cudaMemcpy(y, d_y, sizeof(y), cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  }
  cudaFree(d_x);
  cudaFree(d_y);
  return 0;
}
