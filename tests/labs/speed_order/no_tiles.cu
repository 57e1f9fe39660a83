// Every operand straight from global memory, one or more elements of C for each thread. Not a step of any ladder: it is there to be
// timed and predicted.
#include <tilelab/device.cuh>

constexpr int wide = 16, high = 16;     // threads of a block: beside and below each other
constexpr int rows = 1, columns = 1;    // elements of C in a thread, next to each other
constexpr int turned = 0;               // 1: neighbouring threads take rows of C below each other

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  const int across = (turned ? high : wide) * columns, down = (turned ? wide : high) * rows;
  return LaunchConfig{dim3((N + across - 1) / across, (M + down - 1) / down), dim3(wide, high)};
}

__global__ void __launch_bounds__(wide* high) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  const int x = turned ? threadIdx.y : threadIdx.x, y = turned ? threadIdx.x : threadIdx.y;
  const int left = (blockIdx.x * (turned ? high : wide) + x) * columns, top = (blockIdx.y * (turned ? wide : high) + y) * rows;
  float sums[rows][columns] = {};
  for (int k = 0; k < K; ++k) {
    float a[rows], b[columns];
#pragma unroll
    for (int i = 0; i < rows; ++i) a[i] = top + i < M ? A[(top + i) * K + k] : 0.0f;
#pragma unroll
    for (int j = 0; j < columns; ++j) b[j] = left + j < N ? B[k * N + left + j] : 0.0f;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
      for (int j = 0; j < columns; ++j) sums[i][j] += a[i] * b[j];
    }
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (top + i < M && left + j < N) C[(top + i) * N + left + j] = sums[i][j];
    }
  }
}
