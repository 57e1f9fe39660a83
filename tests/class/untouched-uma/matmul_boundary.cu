// Tiled matrix multiplication for every size: C = A·B, where the last tiles stick out of the matrices.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; any M, N, K ≥ 1.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  // TODO: as many blocks as it takes to cover C, the pieces of tiles at its right and lower edge too.
  // This placeholder starts a single thread.
  return LaunchConfig{dim3(1, 1), dim3(1, 1)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  // TODO: start from your tiled kernel. Which of its loads and stores can now lie outside A, B or C?
  // What must a shared tile hold where the matrix has ended, so that the sum stays right?
  // And do all threads of a block still meet at every barrier?
}
