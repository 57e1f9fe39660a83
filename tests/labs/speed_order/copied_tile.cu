// Tiles that come by asynchronous copies of four bytes, as many stages as wanted. Not a step of any ladder: it is there to be timed and
// predicted.
#include <cuda_pipeline.h>
#include <tilelab/device.cuh>

constexpr int high = 64, wide = 64;    // a block's piece of C
constexpr int depth = 8;               // of a tile along K
constexpr int rows = 4, columns = 4;   // elements of C in a thread: multiples of four
constexpr int stages = 2;              // pairs of tiles in shared memory
constexpr int threads_down = high / rows, threads_across = wide / columns, threads = threads_down * threads_across;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + wide - 1) / wide, (M + high - 1) / high), dim3(threads)};
}

struct Pair {
  float a[depth][high + 4];
  float b[depth][wide];
};

// A copy that has as many zeros as bytes reads nothing.
__device__ void bring(Pair& pair, const float* A, const float* B, int M, int N, int K, int top, int left, int start) {
#pragma unroll
  for (int at = threadIdx.x; at < high * depth; at += threads) {
    const int row = at / depth, k = at % depth;
    const bool inside = top + row < M && start + k < K;
    __pipeline_memcpy_async(&pair.a[k][row], inside ? A + (top + row) * K + start + k : A, 4, inside ? 0 : 4);
  }
#pragma unroll
  for (int at = threadIdx.x; at < depth * wide; at += threads) {
    const int k = at / wide, column = at % wide;
    const bool inside = start + k < K && left + column < N;
    __pipeline_memcpy_async(&pair.b[k][column], inside ? B + (start + k) * N + left + column : B, 4, inside ? 0 : 4);
  }
}

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Pair ring[stages];
  const int down = threadIdx.x / threads_across * 4, across = threadIdx.x % threads_across * 4;
  const int top = blockIdx.y * high, left = blockIdx.x * wide, tiles = (K + depth - 1) / depth;

  for (int i = 0; i < stages - 1; ++i) {
    if (i < tiles) bring(ring[i], A, B, M, N, K, top, left, i * depth);
    __pipeline_commit();
  }
  float sums[rows][columns] = {};
  for (int tile = 0, now = 0; tile < tiles; ++tile, now = now == stages - 1 ? 0 : now + 1) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (tile + stages - 1 < tiles) {
      bring(ring[now == 0 ? stages - 1 : now - 1], A, B, M, N, K, top, left, (tile + stages - 1) * depth);
    }
    __pipeline_commit();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      __align__(16) float a[rows], b[columns];
#pragma unroll
      for (int i = 0; i < rows; i += 4) {
        *reinterpret_cast<float4*>(a + i) = *reinterpret_cast<const float4*>(&ring[now].a[k][down + i * threads_down]);
      }
#pragma unroll
      for (int j = 0; j < columns; j += 4) {
        *reinterpret_cast<float4*>(b + j) = *reinterpret_cast<const float4*>(&ring[now].b[k][across + j * threads_across]);
      }
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < columns; ++j) sums[i][j] += a[i] * b[j];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int y = top + down + i / 4 * threads_down * 4 + i % 4, x = left + across + j / 4 * threads_across * 4 + j % 4;
      if (y < M && x < N) C[y * N + x] = sums[i][j];
    }
  }
}
