// One element of C for each thread, from square tiles in shared memory. Not a step of any ladder: it is there to be timed and predicted.
#include <tilelab/device.cuh>

constexpr int side = 16;    // of a tile, and of a block
constexpr int spare = 0;    // floats after each row of a tile
constexpr int turned = 0;   // 1: the tile of B lies turned, and the lanes of a warp read one of its columns

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(side, side)};
}

__global__ void __launch_bounds__(side* side) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[side][side + spare];
  __shared__ float Bs[side][side + spare];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * side + y, column = blockIdx.x * side + x;
  float sum = 0.0f;
  for (int start = 0; start < K; start += side) {
    const float b = start + y < K && column < N ? B[(start + y) * N + column] : 0.0f;
    As[y][x] = row < M && start + x < K ? A[row * K + start + x] : 0.0f;
    if (turned) {
      Bs[x][y] = b;
    } else {
      Bs[y][x] = b;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < side; ++k) sum += As[y][k] * (turned ? Bs[x][k] : Bs[k][x]);
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
