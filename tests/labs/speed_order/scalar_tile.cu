// Several elements of C for each thread, from tiles in shared memory, one float in each load. Not a step of any ladder: it is there to
// be timed and predicted.
#include <tilelab/device.cuh>

constexpr int high = 64, wide = 64;    // a block's piece of C
constexpr int depth = 8;               // of a tile along K
constexpr int rows = 4, columns = 4;   // elements of C in a thread
constexpr int apart = 0;               // 1: a thread's elements are as far apart as there are threads; 0: they are neighbours
constexpr int spare = 0;               // floats after each row of the tile of A
constexpr int idle = 0;                // bytes of shared memory that nobody uses: fewer blocks fit
constexpr int held = 1;                // 0: no variables for operands; the product names shared memory, and the compiler holds them
constexpr int threads_down = high / rows, threads_across = wide / columns, threads = threads_down * threads_across;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + wide - 1) / wide, (M + high - 1) / high), dim3(threads), idle};
}

__device__ int row_of(int place, int i) { return apart ? place + i * threads_down : place * rows + i; }
__device__ int column_of(int place, int j) { return apart ? place + j * threads_across : place * columns + j; }

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[high][depth + spare];
  __shared__ float Bs[depth][wide];
  const int thread = threadIdx.x, down = thread / threads_across, across = thread % threads_across;
  const int top = blockIdx.y * high, left = blockIdx.x * wide;

  float sums[rows][columns] = {};
  for (int start = 0; start < K; start += depth) {
    for (int i = thread; i < high * depth; i += threads) {
      const int row = i / depth, k = i % depth;
      As[row][k] = top + row < M && start + k < K ? A[(top + row) * K + start + k] : 0.0f;
    }
    for (int i = thread; i < depth * wide; i += threads) {
      const int k = i / wide, column = i % wide;
      Bs[k][column] = start + k < K && left + column < N ? B[(start + k) * N + left + column] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float a[rows], b[columns];
#pragma unroll
      for (int i = 0; i < rows && held; ++i) a[i] = As[row_of(down, i)][k];
#pragma unroll
      for (int j = 0; j < columns && held; ++j) b[j] = Bs[k][column_of(across, j)];
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          if (held) {
            sums[i][j] += a[i] * b[j];
          } else {
            sums[i][j] += As[row_of(down, i)][k] * Bs[k][column_of(across, j)];
          }
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int y = top + row_of(down, i), x = left + column_of(across, j);
      if (y < M && x < N) C[y * N + x] = sums[i][j];
    }
  }
}
