// Rung 10: what is left is in the machine code, and in numbers that a search over 300 combinations found. The loop is one straight line
// without a branch, so that copies and addresses hide between products: aligned rows of B, unaligned rows, and a C narrower than a piece
// have a loop each, and the last tile stands behind the loop. The values of B that meet a sum lie in registers of the other bank: a product
// whose three registers share one of the two banks costs a cycle more. The order of products turns at the end of each row, so that one
// factor stays. Addresses cost few instructions: all that a thread brings of B lies in one row, and two pairs of tiles are enough.
#include <cuda_pipeline.h>
#include <tilelab/device.cuh>

constexpr int high = 128, wide = 256;           // a block's piece of C
constexpr int depth = 8;                        // of a tile along K
constexpr int rows = 16, columns = 8;           // a thread's elements, in groups of four
constexpr int threads = 256;
constexpr int warp_high = 128, warp_wide = 32;  // a warp's piece
constexpr int lanes_high = warp_high / rows;    // of a warp
constexpr int row_step = 4 * lanes_high, column_step = warp_wide / 2;  // from one group of a thread to its next
constexpr int places = 132;                                            // blocks that an H200 runs at the same time
constexpr int least = 128;                                             // along K in a slice
constexpr int bring_rows = threads / depth;                            // of A in one go

__device__ float4 partial[places][high * wide / 4];  // the sums of slices
__device__ unsigned arrived[places];                 // slices of a piece that have left theirs; atomicInc makes it 0 again

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  const int pieces = ((N + wide - 1) / wide) * ((M + high - 1) / high);
  const int fitting = places / pieces, sensible = K / least, slices = fitting < sensible ? fitting : sensible;
  return LaunchConfig{dim3(pieces, slices > 1 ? slices : 1), dim3(threads)};
}

struct Stage {
  float a[depth][high + 4];
  float b[depth][wide];
};
constexpr int floats = sizeof(Stage) / sizeof(float);

// The values that a thread needs for one step along K.
struct Step {
  float4 a[rows / 4], b[columns / 4];
};

__device__ __forceinline__ void read(Step& step, const float* a, const float* b, int k) {
#pragma unroll
  for (int j = 0; j < columns / 4; ++j) step.b[j] = *reinterpret_cast<const float4*>(b + k * wide + j * column_step);
#pragma unroll
  for (int i = 0; i < rows / 4; ++i) step.a[i] = *reinterpret_cast<const float4*>(a + k * (high + 4) + i * row_step);
}

// Its order turns at the end of each row, so that one factor stays.
__device__ __forceinline__ void multiply(float (&sums)[rows][columns], const Step& step) {
  const float* a = &step.a[0].x;
  const float* b = &step.b[0].x;
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const float value = a[i];
#pragma unroll
    for (int place = 0; place < columns; ++place) {
      const int j = i % 2 == 1 ? columns - 1 - place : place;
      sums[i][j] += value * b[j];
    }
  }
}

// Four sums as they leave registers: neighbours change places, which puts each sum into a register of the other bank than its factor.
__device__ __forceinline__ float4 four(const float* sums) { return make_float4(sums[1], sums[0], sums[3], sums[2]); }

// Where a block is in C and along K.
struct Piece {
  int top, first, left;  // `first`: the first column that it stores. It computes from `left`, so that all its columns lie in C
  int start, beginning;  // along K: where its slice starts, and the length of its first tile; the others are whole
  int tiles, slice, slices;

  __device__ Piece(int M, int N, int K) {
    const int across = (N + wide - 1) / wide, all = (K + depth - 1) / depth, shortest = K - (all - 1) * depth;
    top = blockIdx.x / across * high;
    first = blockIdx.x % across * wide;
    left = max(min(first, N - wide), 0);
    slice = blockIdx.y;
    slices = gridDim.y;
    const int from = all * slice / slices;
    tiles = all * (slice + 1) / slices - from;
    start = from == 0 ? 0 : shortest + (from - 1) * depth;
    beginning = from == 0 ? shortest : depth;
  }
};

// How a thread's copies of the next pair of tiles go: from two addresses that move along with the tiles to two that change between the two
// pairs in shared memory. `width`: floats of B in one copy. `narrow`: C has fewer columns than a piece; there B is read as zero.
template <int width, bool narrow>
struct Source {
  const float *a, *b, *any;
  int a_offset[high / bring_rows];
  int N, a_k, b_k, columns_left, further = floats;
  float *a_to, *b_to;

  __device__ Source(const float* A, const float* B, int M, int N, int K, const Piece& piece, Stage* ring)
      : a(A + piece.start), any(B), N(N), a_k(threadIdx.x % depth), b_k(threadIdx.x / 32) {
    const int from = threadIdx.x % 32 * width, a_row = threadIdx.x / depth;
    a_to = &ring->a[a_k][a_row];
    b_to = &ring->b[b_k][from];
    columns_left = N - from;
#pragma unroll
    for (int i = 0; i < high / bring_rows; ++i) a_offset[i] = min(piece.top + a_row + i * bring_rows, M - 1) * K + a_k;  // below C: its last row
    b = B + static_cast<long long>(piece.start + b_k) * N + piece.left + from;
  }

  // The next `valid` steps along K; after them zeros up to the tile's depth.
  template <bool whole>
  __device__ __forceinline__ void bring(int valid) {
#pragma unroll
    for (int i = 0; i < high / bring_rows; ++i) {
      __pipeline_memcpy_async(a_to + i * bring_rows, a + a_offset[i], 4, whole || a_k < valid ? 0 : 4);
    }
#pragma unroll
    for (int i = 0; i < wide; i += 32 * width) {
      const bool outside = narrow && i >= columns_left;
      __pipeline_memcpy_async(b_to + i, outside ? any : b + i, 4 * width, !outside && (whole || b_k < valid) ? 0 : 4 * width);
    }
    __pipeline_commit();
    a += valid;
    b += static_cast<long long>(valid) * N;
    a_to += further;
    b_to += further;
    further = -further;
  }
};

// The products of one tile. `next`: another one follows. Meanwhile the one after this is on its way.
template <bool next, class Source>
__device__ __forceinline__ void compute(float (&sums)[rows][columns], Step (&steps)[2], const float*& a, const float*& b, int& further, Source& source) {
#pragma unroll
  for (int k = 0; k < depth; ++k) {
    if (next && k == depth - 1) {
      a += further;
      b += further;
      further = -further;
      __pipeline_wait_prior(0);  // the next pair is here, and nobody will read this one again
      __syncthreads();
    }
    if (next || k < depth - 1) read(steps[(k + 1) % 2], a, b, (k + 1) % depth);
    if (next && k == 0) source.template bring<true>(depth);
    multiply(sums, steps[k % 2]);
  }
}

// The slices of a piece leave their sums in memory. The block that comes last adds them up, with many loads on their way at the same time,
// and always in the same order, so that the result is the same each time. False: this block was not the last.
__device__ __forceinline__ bool add_slices(float (&sums)[rows][columns], const Piece& piece) {
  constexpr int fours = rows * columns / 4;
  float4* const mine = partial[blockIdx.x * piece.slices + piece.slice] + threadIdx.x;
#pragma unroll
  for (int i = 0; i < fours; ++i) __stcg(mine + i * threads, four(&sums[i / 2][i % 2 * 4]));
  __shared__ bool last;
  __threadfence();
  __syncthreads();  // every thread's sums are there before the ticket is drawn
  if (threadIdx.x == 0) last = atomicInc(&arrived[blockIdx.x], piece.slices - 1) == piece.slices - 1;
  __syncthreads();
  if (!last) return false;
  __threadfence();
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns; ++j) sums[i][j] = 0;
  }
  for (int other = 0; other < piece.slices; ++other) {
    const float4* const part = partial[blockIdx.x * piece.slices + other] + threadIdx.x;
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const float4 more = __ldcg(part + i * threads);
      float* const sum = &sums[i / 2][i % 2 * 4];
      sum[1] += more.x, sum[0] += more.y, sum[3] += more.z, sum[2] += more.w;
    }
  }
  return true;
}

template <int width, bool narrow>
__device__ __forceinline__ void product(const float* A, const float* B, float* C, int M, int N, int K, Stage* ring) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_row = lane / 2 % 8, lane_column = lane % 2 + lane / 16 * 2;  // lanes in a zigzag: 8 rows of 4
  const int warp_row = warp / (wide / warp_wide) * warp_high, warp_column = warp % (wide / warp_wide) * warp_wide;
  const Piece piece(M, N, K);
  Source<width, narrow> source(A, B, M, N, K, piece, ring);
  source.template bring<false>(piece.beginning);
  __pipeline_wait_prior(0);
  __syncthreads();
  const float* a = &ring->a[0][warp_row + lane_row * 4];
  const float* b = &ring->b[0][warp_column + lane_column * 4];
  Step steps[2];
  read(steps[0], a, b, 0);
  float sums[rows][columns] = {};
  int further = floats;
#pragma unroll 1
  for (int tile = 1; tile < piece.tiles; ++tile) compute<true>(sums, steps, a, b, further, source);
  compute<false>(sums, steps, a, b, further, source);
  __syncthreads();
  if (piece.slices > 1 && !add_slices(sums, piece)) return;

  // One row of each row of lanes at a time goes through shared memory, so that its lanes store neighbouring elements.
  constexpr int line = warp_wide + 8;  // what eight lanes store at a time lies in different banks
  float* const lines = reinterpret_cast<float*>(ring) + warp * lanes_high * line;
  float* const to = lines + lane_row * line + lane_column * 4;
  const float* const from = lines + (lane ^ 1);
  const int row = piece.top + warp_row, column = piece.left + warp_column + lane;
  const int rows_left = column < N && column >= piece.first ? M - row : 0;
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns / 4; ++j) *reinterpret_cast<float4*>(to + j * column_step) = four(&sums[i][j * 4]);
    __syncwarp();
    const int below = i / 4 * row_step + i % 4;
    float* c = C + static_cast<long long>(row + below) * N + column;
#pragma unroll
    for (int y = 0; y < lanes_high; ++y) {
      const float sum = from[y * line];
      if (below + y * 4 < rows_left) *c = sum;
      c += 4 * static_cast<long long>(N);
    }
    __syncwarp();
  }
}

__global__ void __launch_bounds__(threads, 1) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Stage ring[2];
  if (N < wide) {
    product<1, true>(A, B, C, M, N, K, ring);
  } else if (N % 4 == 0) {
    product<4, false>(A, B, C, M, N, K, ring);
  } else {
    product<1, false>(A, B, C, M, N, K, ring);
  }
}
