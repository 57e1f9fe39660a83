// Each thread moves its own element.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) out[col * M + row] = in[row * N + col];
}
