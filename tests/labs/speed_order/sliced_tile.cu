// K in slices, each computed by a block of its own: the last block of a piece of C to arrive adds them up. Larger matrices than its
// memory for sums holds are computed in one slice. Not a step of any ladder: it is there to be timed and predicted.
#include <tilelab/device.cuh>

constexpr int high = 64, wide = 64;    // a block's piece of C
constexpr int depth = 8;               // of a tile along K
constexpr int rows = 4, columns = 4;   // elements of C in a thread
constexpr int most_slices = 4, most_pieces = 256;
constexpr int threads_down = high / rows, threads_across = wide / columns, threads = threads_down * threads_across;

__device__ float kept[most_pieces][most_slices][high * wide];
__device__ unsigned arrived[most_pieces];

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  const int across = (N + wide - 1) / wide, down = (M + high - 1) / high;
  const int slices = across * down > most_pieces || K < most_slices * depth ? 1 : most_slices;
  return LaunchConfig{dim3(across, down, slices), dim3(threads)};
}

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[depth][high + 1];
  __shared__ float Bs[depth][wide];
  const int thread = threadIdx.x, down = thread / threads_across, across = thread % threads_across;
  const int top = blockIdx.y * high, left = blockIdx.x * wide, slices = gridDim.z, slice = blockIdx.z;
  const int tiles = (K + depth - 1) / depth, from = tiles * slice / slices * depth, to = tiles * (slice + 1) / slices * depth;

  float sums[rows][columns] = {};
  for (int start = from; start < to; start += depth) {
    for (int i = thread; i < high * depth; i += threads) {
      const int row = i / depth, k = i % depth;
      As[k][row] = top + row < M && start + k < K ? A[(top + row) * K + start + k] : 0.0f;
    }
    for (int i = thread; i < depth * wide; i += threads) {
      const int k = i / wide, column = i % wide;
      Bs[k][column] = start + k < K && left + column < N ? B[(start + k) * N + left + column] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float a[rows], b[columns];
#pragma unroll
      for (int i = 0; i < rows; ++i) a[i] = As[k][down + i * threads_down];
#pragma unroll
      for (int j = 0; j < columns; ++j) b[j] = Bs[k][across + j * threads_across];
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < columns; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }
  if (slices > 1) {
    const int piece = blockIdx.y * gridDim.x + blockIdx.x;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
      for (int j = 0; j < columns; ++j) kept[piece][slice][(i * columns + j) * threads + thread] = sums[i][j];
    }
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (thread == 0) last = atomicInc(&arrived[piece], slices - 1) == slices - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
      for (int j = 0; j < columns; ++j) {
        sums[i][j] = 0.0f;
        for (int other = 0; other < slices; ++other) sums[i][j] += __ldcg(&kept[piece][other][(i * columns + j) * threads + thread]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int y = top + down + i * threads_down, x = left + across + j * threads_across;
      if (y < M && x < N) C[y * N + x] = sums[i][j];
    }
  }
}
