// Tiled matrix multiplication for every size: C = A·B, where the last tiles stick out of the matrices.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; any M, N, K ≥ 1.
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int tile = 16;  // a block computes a tile × tile piece of C
// END SOLUTION

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: as many blocks as it takes to cover C, the pieces of tiles at its right and lower edge too.
  // This placeholder starts a single thread.
  //> return LaunchConfig{dim3(1, 1), dim3(1, 1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, tile)};
  // END SOLUTION
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: start from your tiled kernel. Which of its loads and stores can now lie outside A, B or C?
  // What must a shared tile hold where the matrix has ended, so that the sum stays right?
  // And do all threads of a block still meet at every barrier?
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
    const int a_col = start + tx;
    const int b_row = start + ty;
    // Zero past the edge: it adds nothing to the sum. Threads without an element of C load and wait all the same.
    As[ty][tx] = row < M && a_col < K ? A[row * K + a_col] : 0.0f;
    Bs[ty][tx] = b_row < K && col < N ? B[b_row * N + col] : 0.0f;
    __syncthreads();  // the whole pair has arrived before anybody reads it

    for (int k = 0; k < tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();  // everybody is done with the pair before it is overwritten
  }
  if (row < M && col < N) {
    C[row * N + col] = sum;
  }
  // END SOLUTION
}
