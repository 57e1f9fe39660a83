// Tiled matrix multiplication: C = A·B, each block stages square tiles of A and B in shared memory,
// so that an element travels from global memory once for a whole tile of threads.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; M, N, K are multiples of 32.
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int tile = 16;  // a block computes a tile × tile piece of C
// END SOLUTION

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: choose the block to fit your tile, and as many blocks as C has tiles.
  // This placeholder starts a single thread.
  //> return LaunchConfig{dim3(1, 1), dim3(1, 1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3(N / tile, M / tile), dim3(tile, tile)};
  // END SOLUTION
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: walk along K one pair of tiles at a time. The threads of a block load a tile of A and a tile of B
  // into __shared__ arrays together, then each adds up its part of the product from there.
  // When may a thread read what another has loaded, and when may it load the next pair?
  // END PROMPT
  // BEGIN SOLUTION
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
  // END SOLUTION
}
