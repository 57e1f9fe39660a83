// uninitialized-read in line 8:
// says: x
#include <cstdio>
#include <vector>

__global__ void square(const int *x, int *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];
}

int main() {
  const int n = 512;
  std::vector<int> x(n, 3), y(n);
  int *d_x, *d_y;
  cudaMalloc(&d_x, n * sizeof(int));
  cudaMalloc(&d_y, n * sizeof(int));
  cudaMemcpy(d_x, x.data(), n, cudaMemcpyHostToDevice);
  square<<<2, 256>>>(d_x, d_y, n);
  cudaMemcpy(y.data(), d_y, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", y[0]);
  cudaFree(d_x);
  cudaFree(d_y);
}
