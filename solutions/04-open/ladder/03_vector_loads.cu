// Rung 3: tiles come from global memory in pieces of four floats, where an address allows that: rows of A begin at a multiple of 16
// bytes if K is a multiple of 4, rows of B if N is. Where not, a piece is four single loads.
#include <tilelab/device.cuh>

constexpr int side = 128;               // a block computes a side × side piece of C
constexpr int depth = 8;                // of a tile along K
constexpr int mine = 8;                 // a thread computes mine × mine elements
constexpr int across = side / mine;     // threads in a row of the block
constexpr int threads = across * across;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(threads)};
}

// Four elements of a row from `column` on; zero where the matrix ends.
__device__ float4 piece(const float* matrix, int rows, int columns, int row, int column) {
  const float* at = matrix + row * columns + column;
  if (row < rows && columns % 4 == 0 && column < columns) return *reinterpret_cast<const float4*>(at);
  const int left = row < rows ? columns - column : 0;
  return make_float4(left > 0 ? at[0] : 0.0f, left > 1 ? at[1] : 0.0f, left > 2 ? at[2] : 0.0f, left > 3 ? at[3] : 0.0f);
}

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[side][depth];
  __shared__ __align__(16) float Bs[depth][side];
  const int thread = threadIdx.x;
  const int row = thread / across * mine, column = thread % across * mine;  // of the thread's first element, in the block's piece
  const int top = blockIdx.y * side, left = blockIdx.x * side;
  const int a_row = thread / (depth / 4), a_k = thread % (depth / 4) * 4;  // each thread brings a piece of A and one of B
  const int b_k = thread / (side / 4), b_column = thread % (side / 4) * 4;

  float sums[mine][mine] = {};
  for (int start = 0; start < K; start += depth) {
    *reinterpret_cast<float4*>(&As[a_row][a_k]) = piece(A, M, K, top + a_row, start + a_k);
    *reinterpret_cast<float4*>(&Bs[b_k][b_column]) = piece(B, K, N, start + b_k, left + b_column);
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
