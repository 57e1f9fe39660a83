// The tile in dynamic shared memory, with an index of its own.
#include <tilelab/device.cuh>

constexpr int side = 32, stride = side + 1;

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  LaunchConfig config;
  config.block = dim3(side, 4);
  config.grid = dim3((N + side - 1) / side, (M + side - 1) / side);
  config.shared_bytes = side * stride * sizeof(float);
  return config;
}

__device__ int at(int y, int x) { return y * stride + x; }

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  extern __shared__ float turning[];
  const int left = blockIdx.x * side, top = blockIdx.y * side;
#pragma unroll
  for (int i = 0; i < side; i += 4) {
    const int y = threadIdx.y + i, x = threadIdx.x;
    if (top + y < M && left + x < N) turning[at(y, x)] = in[(top + y) * N + left + x];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < side; i += 4) {
    const int y = threadIdx.y + i, x = threadIdx.x;
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[at(x, y)];
  }
}
