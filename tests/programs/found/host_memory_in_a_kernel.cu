// host-pointer-on-device in line 17:
// says: memory of the host
#include <cstdio>
#include <cstdlib>

__global__ void add(const int *a, const int *b, int *c) {
  c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  const size_t bytes = 64 * sizeof(int);
  int *a = (int *)calloc(1, bytes), *b = (int *)calloc(1, bytes), *c = (int *)calloc(1, bytes);
  int *d_a, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
  add<<<1, 64>>>(d_a, b, d_c);
  if (cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) printf("failed\n");
  (void)cudaFree(d_a);
  (void)cudaFree(d_c);
  free(a);
  free(b);
  free(c);
}
