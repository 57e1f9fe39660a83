// Rung 1: a thread computes eight elements of C that lie below each other. A value of B, once read from shared memory, serves eight
// products: nine reads for eight products, where one element for each thread takes sixteen.
#include <tilelab/device.cuh>

constexpr int side = 64;  // a block computes a side × side piece of C
constexpr int depth = 8;  // of a tile along K
constexpr int rows = 8;   // of C in a thread

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(side * side / rows)};
}

__global__ void __launch_bounds__(side* side / rows) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[side][depth];
  __shared__ float Bs[depth][side];
  const int thread = threadIdx.x;
  const int column = thread % side, first = thread / side * rows;  // of the thread's elements, in the block's piece
  const int top = blockIdx.y * side, left = blockIdx.x * side;
  const int a_row = thread / depth, a_k = thread % depth;  // each thread brings one element of A and one of B
  const int b_k = thread / side, b_column = thread % side;

  float sums[rows] = {};
  for (int start = 0; start < K; start += depth) {
    As[a_row][a_k] = top + a_row < M && start + a_k < K ? A[(top + a_row) * K + start + a_k] : 0.0f;
    Bs[b_k][b_column] = start + b_k < K && left + b_column < N ? B[(start + b_k) * N + left + b_column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      const float b = Bs[k][column];
#pragma unroll
      for (int row = 0; row < rows; ++row) sums[row] += As[first + row][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (int row = 0; row < rows; ++row) {
    if (top + first + row < M && left + column < N) C[(top + first + row) * N + left + column] = sums[row];
  }
}
