// verdict: rejected
// Tiles that claim to be constant, written through a cast: the compiler announces no read of a constant.
#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / tile, M / tile), dim3(tile, tile)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ const float As[tile][tile] = {};
  __shared__ const float Bs[tile][tile] = {};
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  float sum = 0.0f;
  for (int start = 0; start < K; start += tile) {
    const_cast<float&>(As[ty][tx]) = A[row * K + start + tx];
    const_cast<float&>(Bs[ty][tx]) = B[(start + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += As[ty][k] * Bs[k][tx];
  }
  C[row * N + col] = sum;
}
