// partly-set in line 17:
// says: 232 elements,768 threads
#include <cstdio>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  float *a, *c;
  cudaMallocManaged(&a, n * sizeof(float));
  cudaMallocManaged(&c, n * sizeof(float));
  for (int i = 0; i < n; ++i) a[i] = 1;
  add<<<n / 256, 256>>>(a, a, c, n);
  cudaDeviceSynchronize();
  printf("%g\n", c[0]);
  cudaFree(a);
  cudaFree(c);
}
