// copy-size in line 15:
// says: `x` itself
#include <cstdio>
#include <vector>

__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  std::vector<float> x(500, 1.0f);
  float *d_x;
  cudaMalloc(&d_x, x.size() * sizeof(float));
  cudaMemcpy(d_x, &x, x.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_x, 0, x.size() * sizeof(float));
  twice<<<2, 256>>>(d_x, 500);
  cudaMemcpy(x.data(), d_x, x.size() * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", x[0]);
  cudaFree(d_x);
}
