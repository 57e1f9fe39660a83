// Blocks of one warp, which __syncwarp is enough for.
#include <tilelab/device.cuh>

constexpr int side = 32;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return {dim3((N + side - 1) / side, (M + side - 1) / side), dim3(side)};
}

__global__ void __launch_bounds__(side) transpose_tiled(const float* __restrict__ in, float* __restrict__ out, int M, int N) {
  __shared__ float turning[side][side + 1];
  const int lane = threadIdx.x, left = blockIdx.x * side, top = blockIdx.y * side;
  const int height = min(side, M - top), width = min(side, N - left);
  if (lane < width)
    for (int y = 0; y < height; ++y) turning[y][lane] = in[(top + y) * N + left + lane];
  __syncwarp();
  if (lane < height)
    for (int y = 0; y < width; ++y) out[(left + y) * M + top + lane] = turning[lane][y];
}
