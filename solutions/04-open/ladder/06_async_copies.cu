// Rung 6: cp.async brings tiles from global to shared memory without a stop in registers. Two tiles are on their way while a third is
// used. A copy of four bytes may go to any place, so those of A turn the tile on the way; B comes in 16 bytes where N allows it.
#include <cuda_pipeline.h>
#include <tilelab/device.cuh>

constexpr int side = 128;               // a block computes a side × side piece of C
constexpr int depth = 8;                // of a tile along K
constexpr int mine = 8;                 // a thread computes mine × mine elements
constexpr int across = side / mine;     // threads in a row of the block
constexpr int threads = across * across;
constexpr int half = side / 2;          // from a thread's first four rows or columns to its other four
constexpr int stages = 3;               // pairs of tiles in shared memory

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + side - 1) / side, (M + side - 1) / side), dim3(threads)};
}

struct Stage {
  float a[depth][side + 4];
  float b[depth][side];
};

// Where a thread's copies come from: two addresses that move along with the tiles, and offsets that stay as they are. A row or column
// too many is the last one again, as nobody stores its sums; so only the length of a tile is to be watched. `aligned`: rows of B begin
// at a multiple of 16 bytes.
template <bool aligned>
struct Source {
  static constexpr int width = aligned ? 4 : 1;                  // floats in a copy of B
  static constexpr int a_step = threads / depth;                 // rows of A from one copy to the next
  static constexpr int b_step = threads * width / side;          // rows of B from one copy to the next
  const float *a, *b;
  int a_offset[side / a_step];
  int N, a_k, a_row, b_k, b_column;

  __device__ Source(const float* A, const float* B, int M, int N, int K, int top, int left, int start)
      : a(A + start), N(N), a_k(threadIdx.x % depth), a_row(threadIdx.x / depth), b_k(threadIdx.x * width / side), b_column(threadIdx.x * width % side) {
#pragma unroll
    for (int i = 0; i < side / a_step; ++i) a_offset[i] = min(top + a_row + i * a_step, M - 1) * K + a_k;
    b = B + static_cast<long long>(start + b_k) * N + min(left + b_column, N - width);
  }

  // A pair of tiles of which `valid` steps along K exist; the others become zero. A copy with as many zeros as bytes reads nothing.
  __device__ __forceinline__ void bring_short(Stage& stage, const float* A, const float* B, int valid) {
#pragma unroll
    for (int i = 0; i < side / a_step; ++i) {
      const bool inside = a_k < valid;
      __pipeline_memcpy_async(&stage.a[a_k][a_row + i * a_step], inside ? a + a_offset[i] : A, 4, inside ? 0 : 4);
    }
#pragma unroll
    for (int i = 0; i < depth / b_step; ++i) {
      const bool inside = b_k + i * b_step < valid;
      const float* const from = inside ? b + static_cast<long long>(i * b_step) * N : B;
      __pipeline_memcpy_async(&stage.b[b_k + i * b_step][b_column], from, 4 * width, inside ? 0 : 4 * width);
    }
    a += valid;
    b += static_cast<long long>(valid) * N;
  }

  __device__ __forceinline__ void bring_whole(Stage& stage) {
#pragma unroll
    for (int i = 0; i < side / a_step; ++i) __pipeline_memcpy_async(&stage.a[a_k][a_row + i * a_step], a + a_offset[i], 4);
#pragma unroll
    for (int i = 0; i < depth / b_step; ++i) {
      __pipeline_memcpy_async(&stage.b[b_k + i * b_step][b_column], b + static_cast<long long>(i * b_step) * N, 4 * width);
    }
    a += depth;
    b += static_cast<long long>(depth) * N;
  }
};

__device__ void read_four(float* to, const float* from) { *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from); }

template <bool aligned>
__device__ __forceinline__ void compute(Stage* ring, const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = threadIdx.x / across * 4, column = threadIdx.x % across * 4;  // of the thread's first element
  const int top = blockIdx.y * side, left = blockIdx.x * side;
  const int tiles = (K + depth - 1) / depth, beginning = K - (tiles - 1) * depth;  // the first tile may be short, the others are whole

  Source<aligned> source(A, B, M, N, K, top, left, 0);
  for (int i = 0; i < stages - 1; ++i) {
    if (i < tiles) source.bring_short(ring[i], A, B, i == 0 ? beginning : depth);
    __pipeline_commit();
  }
  float sums[mine][mine] = {};
  for (int tile = 0, now = 0; tile < tiles; ++tile, now = now == stages - 1 ? 0 : now + 1) {
    __pipeline_wait_prior(stages - 2);  // this thread's part of the pair is here,
    __syncthreads();                    // and everybody's; the pair before it is read to its end
    if (tile + stages - 1 < tiles) source.bring_whole(ring[now == 0 ? stages - 1 : now - 1]);
    __pipeline_commit();
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      __align__(16) float a[mine], b[mine];
      read_four(a, &ring[now].a[k][row]);
      read_four(a + 4, &ring[now].a[k][row + half]);
      read_four(b, &ring[now].b[k][column]);
      read_four(b + 4, &ring[now].b[k][column + half]);
#pragma unroll
      for (int i = 0; i < mine; ++i) {
#pragma unroll
        for (int j = 0; j < mine; ++j) sums[i][j] += a[i] * b[j];
      }
    }
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

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Stage ring[stages];
  if (N % 4 == 0) {
    compute<true>(ring, A, B, C, M, N, K);
  } else {
    compute<false>(ring, A, B, C, M, N, K);
  }
}
