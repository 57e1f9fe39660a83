// uninitialized-read in line 7:
// says: sets only the first
#include <vector>

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  int n = 500;
  std::vector<float> x(n, 1.0f);
  float *d_x;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMemcpy(d_x, x.data(), n, cudaMemcpyHostToDevice);
  scale<<<2, 256>>>(d_x, n);
  cudaDeviceSynchronize();
  cudaFree(d_x);
}
