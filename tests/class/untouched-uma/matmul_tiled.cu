// Tiled matrix multiplication: C = A·B, each block stages square tiles of A and B in shared memory,
// so that an element travels from global memory once for a whole tile of threads.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; M, N, K are multiples of 32.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  // TODO: choose the block to fit your tile, and as many blocks as C has tiles.
  // This placeholder starts a single thread.
  return LaunchConfig{dim3(1, 1), dim3(1, 1)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  // TODO: walk along K one pair of tiles at a time. The threads of a block load a tile of A and a tile of B
  // into __shared__ arrays together, then each adds up its part of the product from there.
  // When may a thread read what another has loaded, and when may it load the next pair?
}
