// Only the first warp of each row of the block loads; the rest waits at the barriers and computes.
#include <tilelab/device.cuh>

namespace tiling {
constexpr int width = 32, height = 4, depth = 16;
__device__ __forceinline__ void barrier() { __syncthreads(); }
}  // namespace tiling

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / tiling::width, M / tiling::height), dim3(tiling::width, tiling::height)};
}

__launch_bounds__(tiling::width* tiling::height) __global__
    void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  using namespace tiling;
  __shared__ float strip[height][depth];
  __shared__ float panel[depth][width];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * height + y, col = blockIdx.x * width + x;
  float sum = 0.0f;
  for (int start = 0; start < K; start += depth) {
    if (x < depth) strip[y][x] = A[row * K + start + x];
    if (y == 0) {
      for (int k = 0; k < depth; ++k) panel[k][x] = B[(start + k) * N + col];
    }
    barrier();
#pragma unroll 8
    for (int k = 0; k < depth; ++k) sum += strip[y][k] * panel[k][x];
    if (start + depth < K) barrier();  // the same for all: the last step needs none
  }
  C[row * N + col] = sum;
}
