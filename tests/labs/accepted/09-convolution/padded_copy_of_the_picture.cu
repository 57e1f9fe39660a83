// A copy of the picture with zeros around it, made by cudaMemset2D and cudaMemcpy2D: the kernel needs no guard when it loads.
#include <cuda_runtime.h>

#define OK(call) if ((call) != cudaSuccess) return -1

__constant__ float W[5 * 5];

template <int X, int Y>
__global__ void stencil(const float* padded, size_t pitch, float* out, int height, int width) {
  __shared__ float near[Y + 4][X + 4];
  const float* corner = padded + blockIdx.y * Y * pitch + blockIdx.x * X;
  for (int y = threadIdx.y; y < Y + 4; y += Y)
    for (int x = threadIdx.x; x < X + 4; x += X) near[y][x] = corner[y * pitch + x];
  __syncthreads();
  const int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
  if (x < width && y < height) {
    float sum = 0;
    for (int k = 0; k < 25; k++) sum += W[k] * near[threadIdx.y + k / 5][threadIdx.x + k % 5];
    out[y * width + x] = sum;
  }
}

int convolve(const float* image, const float* mask, float* out, int height, int width) {
  constexpr int X = 32, Y = 16;
  const dim3 grid((width + X - 1) / X, (height + Y - 1) / Y);
  const size_t rows = grid.y * Y + 4, columns = grid.x * X + 4;
  float* padded = nullptr;
  size_t pitch = 0;
  OK(cudaMallocPitch(&padded, &pitch, columns * sizeof(float), rows));
  OK(cudaMemset2D(padded, pitch, 0, columns * sizeof(float), rows));
  OK(cudaMemcpy2D(padded + 2 * (pitch / sizeof(float)) + 2, pitch, image, width * sizeof(float), width * sizeof(float), height,
                  cudaMemcpyDeviceToDevice));
  void* symbol = nullptr;
  OK(cudaGetSymbolAddress(&symbol, W));
  OK(cudaMemcpy(symbol, mask, sizeof(W), cudaMemcpyDeviceToDevice));
  stencil<X, Y><<<grid, dim3(X, Y)>>>(padded, pitch / sizeof(float), out, height, width);
  OK(cudaGetLastError());
  OK(cudaFree(padded));
  return 0;
}
