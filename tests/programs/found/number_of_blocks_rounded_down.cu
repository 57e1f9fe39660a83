// partly-set in line 21:
// says: 232 of them,`d_c[768]`,3 blocks of 256,line 20
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  std::vector<float> a(n, 1.0f), c(n);
  float *d_a, *d_c;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_c, n * sizeof(float));
  cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  add<<<std::ceil(n / 256), 256>>>(d_a, d_a, d_c, n);
  cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", c[0]);
  cudaFree(d_a);
  cudaFree(d_c);
}
