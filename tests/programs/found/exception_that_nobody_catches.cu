// host-crash in line 18:
// says: an uncaught exception
#include <vector>

__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i] + 1;
}

int main() {
  std::vector<float> x(100);
  float *d_x;
  cudaMalloc(&d_x, 400);
  cudaMemset(d_x, 0, 400);
  scale<<<1, 128>>>(d_x, 100);
  cudaDeviceSynchronize();
  cudaFree(d_x);
  x.at(100) = 1;
}
