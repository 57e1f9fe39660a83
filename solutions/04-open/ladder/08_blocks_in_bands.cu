// Rung 8: the order in which blocks take pieces of C. Blocks that run at the same time take pieces of `band` rows of pieces, column
// after column, so that what one block has brought from A or B still lies in the L2 cache when its neighbours ask for it.
#include <cuda_pipeline.h>
#include <tilelab/device.cuh>

constexpr int high = 128, wide = 256;            // a block's piece of C
constexpr int depth = 8;                         // of a tile along K
constexpr int warp_side = 64;                    // a warp's piece is warp_side × warp_side
constexpr int rows = 16, columns = 8;            // a thread's elements, in groups of four
constexpr int row_step = 16, column_step = 32;   // from one group of a thread to its next: four rows, and eight columns, of lanes
constexpr int threads = 256;
constexpr int stages = 3;                        // pairs of tiles in shared memory
constexpr int band = 8;                          // rows of pieces that are computed together

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3(((N + wide - 1) / wide) * ((M + high - 1) / high)), dim3(threads)};
}

struct Stage {
  float a[depth][high + 4];
  float b[depth][wide];
};

// Where a thread's copies come from: two addresses that move along with the tiles, and offsets that stay as they are. A row or column
// too many is the last one again, as nobody stores its sums; so only the length of a tile is to be watched. `aligned`: rows of B begin
// at a multiple of 16 bytes.
template <bool aligned>
struct Source {
  static constexpr int width = aligned ? 4 : 1;                  // floats in a copy of B
  static constexpr int a_step = threads / depth;                 // rows of A from one copy to the next
  static constexpr int b_step = threads * width / wide;          // rows of B from one copy to the next
  const float *a, *b;
  int a_offset[high / a_step];
  int N, a_k, a_row, b_k, b_column;

  __device__ Source(const float* A, const float* B, int M, int N, int K, int top, int left, int start)
      : a(A + start), N(N), a_k(threadIdx.x % depth), a_row(threadIdx.x / depth), b_k(threadIdx.x * width / wide), b_column(threadIdx.x * width % wide) {
#pragma unroll
    for (int i = 0; i < high / a_step; ++i) a_offset[i] = min(top + a_row + i * a_step, M - 1) * K + a_k;
    b = B + static_cast<long long>(start + b_k) * N + min(left + b_column, N - width);
  }

  // A pair of tiles of which `valid` steps along K exist; the others become zero. A copy with as many zeros as bytes reads nothing.
  __device__ __forceinline__ void bring_short(Stage& stage, const float* A, const float* B, int valid) {
#pragma unroll
    for (int i = 0; i < high / a_step; ++i) {
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
    for (int i = 0; i < high / a_step; ++i) __pipeline_memcpy_async(&stage.a[a_k][a_row + i * a_step], a + a_offset[i], 4);
#pragma unroll
    for (int i = 0; i < depth / b_step; ++i) {
      __pipeline_memcpy_async(&stage.b[b_k + i * b_step][b_column], b + static_cast<long long>(i * b_step) * N, 4 * width);
    }
    a += depth;
    b += static_cast<long long>(depth) * N;
  }
};

// The values that a thread needs for one step along K.
struct Step {
  float4 a[rows / 4], b[columns / 4];
};

__device__ __forceinline__ void read(Step& step, const Stage& stage, int k, int row, int column) {
#pragma unroll
  for (int i = 0; i < rows / 4; ++i) step.a[i] = *reinterpret_cast<const float4*>(&stage.a[k][row + i * row_step]);
#pragma unroll
  for (int j = 0; j < columns / 4; ++j) step.b[j] = *reinterpret_cast<const float4*>(&stage.b[k][column + j * column_step]);
}

__device__ __forceinline__ void multiply(float (&sums)[rows][columns], const Step& step) {
  const float* a = &step.a[0].x;
  const float* b = &step.b[0].x;
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) sums[i][j] += a[i] * b[j];
  }
}

template <bool aligned>
__device__ __forceinline__ void compute(Stage* ring, const float* A, const float* B, float* C, int M, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_row = lane % 2 + lane / 16 * 2, lane_column = lane / 2 % 8;  // lanes in a zigzag: 4 rows of 8
  const int row = warp / (wide / warp_side) * warp_side + lane_row * 4, column = warp % (wide / warp_side) * warp_side + lane_column * 4;
  const int all_rows = (M + high - 1) / high, per_band = band * ((N + wide - 1) / wide);  // in pieces
  const int first = blockIdx.x / per_band * band, in_band = min(band, all_rows - first), place = blockIdx.x % per_band;
  const int top = (first + place % in_band) * high, left = place / in_band * wide;
  const int tiles = (K + depth - 1) / depth, beginning = K - (tiles - 1) * depth;  // the first tile may be short, the others are whole

  Source<aligned> source(A, B, M, N, K, top, left, 0);
  for (int i = 0; i < stages - 1; ++i) {
    if (i < tiles) source.bring_short(ring[i], A, B, i == 0 ? beginning : depth);
    __pipeline_commit();
  }
  __pipeline_wait_prior(stages - 2);
  __syncthreads();
  Step steps[2];
  read(steps[0], ring[0], 0, row, column);
  float sums[rows][columns] = {};
  for (int tile = 0, now = 0; tile < tiles; ++tile) {
    const int after = now == stages - 1 ? 0 : now + 1, free = now == 0 ? stages - 1 : now - 1;
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (k == 0) {
        if (tile + stages - 1 < tiles) source.bring_whole(ring[free]);
        __pipeline_commit();
      }
      if (k + 1 < depth) {
        read(steps[(k + 1) % 2], ring[now], k + 1, row, column);
      } else if (tile + 1 < tiles) {
        __pipeline_wait_prior(stages - 2);  // the next pair is here, and nobody will read this one again
        __syncthreads();
        read(steps[0], ring[after], 0, row, column);
      }
      multiply(sums, steps[k % 2]);
    }
    now = after;
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int y = top + row + i / 4 * row_step + i % 4, x = left + column + j / 4 * column_step + j % 4;
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
