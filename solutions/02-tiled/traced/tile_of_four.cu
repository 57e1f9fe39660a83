// The model solution with tiles of 4 × 4: the kernel of the write-up's example by hand, which docs/trace_example.py traces.
// Tiled as the model is, and no more: only the tile's width differs, and M, N and K are multiples of 4.
#include <tilelab/device.cuh>

constexpr int tile = 4;  // a block computes a tile × tile piece of C

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / tile, M / tile), dim3(tile, tile)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile];  // rows of A, a piece of K
  __shared__ float Bs[tile][tile];  // the same piece of K, columns of B

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum = 0.0f;
  for (int start = 0; start < K; start += tile) {
    As[ty][tx] = A[row * K + start + tx];
    Bs[ty][tx] = B[(start + ty) * N + col];
    __syncthreads();  // the whole pair has arrived before anybody reads it

    for (int k = 0; k < tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();  // everybody is done with the pair before it is overwritten
  }
  C[row * N + col] = sum;
}
