// Rung 4: the tile of A lies transposed in shared memory, so that a thread reads its eight values of A, like those of B, in two loads
// of four. Its rows and columns are two groups of four that lie half a piece apart: lanes side by side then read neighbouring groups,
// and no bank is asked twice. Rows of the transposed tile are four floats longer than needed, for the stores.
#include <tilelab/device.cuh>

constexpr int side = 128;               // a block computes a side × side piece of C
constexpr int depth = 8;                // of a tile along K
constexpr int mine = 8;                 // a thread computes mine × mine elements
constexpr int across = side / mine;     // threads in a row of the block
constexpr int threads = across * across;
constexpr int half = side / 2;          // from a thread's first four rows or columns to its other four

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

__device__ void read_four(float* to, const float* from) { *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from); }

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[depth][side + 4];
  __shared__ __align__(16) float Bs[depth][side];
  const int thread = threadIdx.x;
  const int row = thread / across * 4, column = thread % across * 4;  // of the thread's first element, in the block's piece
  const int top = blockIdx.y * side, left = blockIdx.x * side;
  const int a_row = thread / (depth / 4), a_k = thread % (depth / 4) * 4;  // each thread brings a piece of A and one of B
  const int b_k = thread / (side / 4), b_column = thread % (side / 4) * 4;

  float sums[mine][mine] = {};
  for (int start = 0; start < K; start += depth) {
    const float4 a_piece = piece(A, M, K, top + a_row, start + a_k);
    As[a_k][a_row] = a_piece.x;
    As[a_k + 1][a_row] = a_piece.y;
    As[a_k + 2][a_row] = a_piece.z;
    As[a_k + 3][a_row] = a_piece.w;
    *reinterpret_cast<float4*>(&Bs[b_k][b_column]) = piece(B, K, N, start + b_k, left + b_column);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      __align__(16) float a[mine], b[mine];
      read_four(a, &As[k][row]);
      read_four(a + 4, &As[k][row + half]);
      read_four(b, &Bs[k][column]);
      read_four(b + 4, &Bs[k][column + half]);
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
      const int y = top + row + i % 4 + i / 4 * half, x = left + column + j % 4 + j / 4 * half;
      if (y < M && x < N) C[y * N + x] = sums[i][j];
    }
  }
}
