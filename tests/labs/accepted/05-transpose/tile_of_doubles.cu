// A tile whose elements are doubles.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)};
}
__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ double s[32][33];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty, ox = blockIdx.y * 32 + tx,
      oy = blockIdx.x * 32 + ty;

  if (x < N && y < M) s[ty][tx] = in[y * N + x];
  __syncthreads();
  if (ox < M && oy < N) out[oy * M + ox] = (float)s[tx][ty];
}
