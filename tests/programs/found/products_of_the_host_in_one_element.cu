// host-crash in line 17:
// says: 4 bytes,allocated in line 13,before this line
#include <cstdio>
#include <cstdlib>

__global__ void dot(const float* a, float* sum) { atomicAdd(sum, a[threadIdx.x] * a[threadIdx.x]); }

int main() {
  const int n = 800, m = 32;
  float a[m], *d_a, *d_sum, sum = 0;
  for (int i = 0; i < m; ++i) a[i] = 1.0f;

  float* products = (float*)malloc(sizeof(float));
  for (int i = 0; i < n; ++i) products[i] = a[i % m] * a[i % m];
  for (int i = 1; i < n; ++i) products[0] += products[i];

  cudaMalloc(&d_a, sizeof(a));
  cudaMalloc(&d_sum, sizeof(float));
  cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice);
  cudaMemcpy(d_sum, &sum, sizeof(float), cudaMemcpyHostToDevice);
  dot<<<1, m>>>(d_a, d_sum);
  cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g %g\n", sum, products[0]);
  free(products);
  cudaFree(d_a);
  cudaFree(d_sum);
}
