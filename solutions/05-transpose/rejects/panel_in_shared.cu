// verdict: launch-error
// Keeps 48 rows of the whole width: fine while the matrix is narrow.
#include <tilelab/device.cuh>

constexpr int panel = 48;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((M + panel - 1) / panel), dim3(256), static_cast<unsigned>(panel * N * sizeof(float))};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  extern __shared__ float rows[];
  const int top = blockIdx.x * panel;
  const int height = min(panel, M - top);
  for (int i = threadIdx.x; i < height * N; i += blockDim.x) rows[i] = in[top * N + i];
  __syncthreads();
  for (int i = threadIdx.x; i < height * N; i += blockDim.x) out[i / height * M + top + i % height] = rows[i % height * N + i / height];
}
