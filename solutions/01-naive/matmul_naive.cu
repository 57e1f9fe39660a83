// Naive matrix multiplication: C = A·B, one thread for each element of C.
// A is M×K, B is K×N, C is M×N: row-major, fp32, in global memory; any M, N, K ≥ 1.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: choose a block of threads, and a grid with enough blocks to give every element of C a thread,
  // also where M and N are no multiples of the block's sides. This placeholder starts a single thread.
  //> return LaunchConfig{dim3(1, 1), dim3(1, 1)};
  // END PROMPT
  // BEGIN SOLUTION
  const dim3 block(16, 16);
  const dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);  // rounded up: x runs along a row of C
  return LaunchConfig{grid, block};
  // END SOLUTION
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  // BEGIN PROMPT
  // TODO: which element of C is this thread's own? Sum the K products it needs and write it.
  // Mind the threads that have no element: the grid covers at least C, often more.
  // END PROMPT
  // BEGIN SOLUTION
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;  // neighbours in a warp read neighbours of B and C
  if (row >= M || col >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += A[row * K + k] * B[k * N + col];
  }
  C[row * N + col] = sum;
  // END SOLUTION
}
