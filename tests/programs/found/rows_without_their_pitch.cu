// uninitialized-read in line 7:
// says: sets 200 of every 512 bytes,512 bytes apart
#include <vector>

__global__ void triple(float *x, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h) x[r * w + c] *= 3;
}

int main() {
  const int w = 50, h = 20;
  std::vector<float> a(w * h, 1.0f);
  float *d;
  size_t pitch;
  cudaMallocPitch(&d, &pitch, w * sizeof(float), h);
  cudaMemcpy2D(d, pitch, a.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  triple<<<dim3(4, 2), dim3(16, 16)>>>(d, w, h);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaMemcpy2D(a.data(), w * sizeof(float), d, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
  cudaFree(d);
}
