// Rung 2: a thread computes 8 × 8 elements of C. Sixteen values, read from shared memory into registers, serve 64 products.
#include <tilelab/device.cuh>

constexpr int side = 128;               // a block computes a side × side piece of C
constexpr int depth = 8;                // of a tile along K
constexpr int mine = 8;                 // a thread computes mine × mine elements
constexpr int across = side / mine;     // threads in a row of the block
constexpr int threads = across * across;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(threads)};
}

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[side][depth];
  __shared__ float Bs[depth][side];
  const int thread = threadIdx.x;
  const int row = thread / across * mine, column = thread % across * mine;  // of the thread's first element, in the block's piece
  const int top = blockIdx.y * side, left = blockIdx.x * side;

  float sums[mine][mine] = {};
  for (int start = 0; start < K; start += depth) {
    for (int i = thread; i < side * depth; i += threads) {
      const int a_row = i / depth, a_k = i % depth;
      const int b_k = i / side, b_column = i % side;
      As[a_row][a_k] = top + a_row < M && start + a_k < K ? A[(top + a_row) * K + start + a_k] : 0.0f;
      Bs[b_k][b_column] = start + b_k < K && left + b_column < N ? B[(start + b_k) * N + left + b_column] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float a[mine], b[mine];
#pragma unroll
      for (int i = 0; i < mine; ++i) a[i] = As[row + i][k];
#pragma unroll
      for (int j = 0; j < mine; ++j) b[j] = Bs[k][column + j];
#pragma unroll
      for (int i = 0; i < mine; ++i) {
#pragma unroll
        for (int j = 0; j < mine; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < mine; ++i) {
#pragma unroll
    for (int j = 0; j < mine; ++j) {
      if (top + row + i < M && left + column + j < N) C[(top + row + i) * N + left + column + j] = sums[i][j];
    }
  }
}
