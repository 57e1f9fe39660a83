// short-copy in line 18:
// says: 500 bytes of `d_x`,2000 bytes
#include <cstdio>
#include <vector>

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  int n = 500;
  std::vector<float> x(n);
  float *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMemset(d_x, 0, n * sizeof(float));
  scale<<<2, 256>>>(d_x, n);
  cudaMemcpy(x.data(), d_x, n, cudaMemcpyDeviceToHost);
  printf("%f\n", x[n - 1]);
  cudaFree(d_x);
}
