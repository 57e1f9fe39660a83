// copy-direction in line 12:
// says: d_x
#include <vector>

__global__ void half(float *x) { x[threadIdx.x] /= 2; }

int main() {
  std::vector<float> x(64, 1.0f);
  float *d_x;
  cudaMalloc(&d_x, 64 * sizeof(float));
  cudaMemset(d_x, 0, 64 * sizeof(float));
  cudaMemcpy(x.data(), d_x, 64 * sizeof(float), cudaMemcpyHostToDevice);
  half<<<1, 64>>>(d_x);
  cudaDeviceSynchronize();
  cudaFree(d_x);
}
