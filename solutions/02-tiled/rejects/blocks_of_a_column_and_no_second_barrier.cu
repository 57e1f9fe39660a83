// verdict: race line: 23
// Takes its row from the blocks along x, and loads the next tile while others still read this one.
#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / tile, M / tile), dim3(tile, tile)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile];
  __shared__ float Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.x * tile + ty;
  const int col = blockIdx.x * tile + tx;
  float sum = 0.0f;
  for (int start = 0; start < K; start += tile) {
    As[ty][tx] = A[row * K + start + tx];
    Bs[ty][tx] = B[(start + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
  }
  C[row * N + col] = sum;
}
