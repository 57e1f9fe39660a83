// Loads four elements at once where every row begins at a multiple of 16 bytes.
#include <tilelab/device.cuh>

constexpr int tile = 32;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return {dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(256)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ float turning[tile][tile + 1];
  const int left = blockIdx.x * tile, top = blockIdx.y * tile;
  const int t = threadIdx.x;
  if (N % 4 == 0) {
    const int y = t / 8, x = t % 8 * 4;
    if (top + y < M && left + x < N) {
      const float4 four = *reinterpret_cast<const float4*>(&in[(top + y) * N + left + x]);
      turning[y][x] = four.x;
      turning[y][x + 1] = four.y;
      turning[y][x + 2] = four.z;
      turning[y][x + 3] = four.w;
    }
  } else {
    for (int i = t; i < tile * tile; i += 256) {
      const int y = i / tile, x = i % tile;
      if (top + y < M && left + x < N) turning[y][x] = in[(top + y) * N + left + x];
    }
  }
  __syncthreads();
  for (int i = t; i < tile * tile; i += 256) {
    const int y = i / tile, x = i % tile;
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[x][y];
  }
}
