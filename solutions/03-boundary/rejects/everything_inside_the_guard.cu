// verdict: barrier-divergence line: 22
// The guard is around the whole kernel: threads outside C skip every barrier, and nobody loads what they should have loaded.
#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, tile)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile];
  __shared__ float Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;

  if (row < M && col < N) {
    float sum = 0.0f;
    for (int start = 0; start < K; start += tile) {
      As[ty][tx] = start + tx < K ? A[row * K + start + tx] : 0.0f;
      Bs[ty][tx] = start + ty < K ? B[(start + ty) * N + col] : 0.0f;
      __syncthreads();
      for (int k = 0; k < tile; ++k) sum += As[ty][k] * Bs[k][tx];
      __syncthreads();
    }
    C[row * N + col] = sum;
  }
}
