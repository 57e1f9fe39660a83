// Rung 10: what is left is in the machine code, and in numbers that a search over 300 combinations found. The values of B that meet a
// sum lie in registers of the other bank: a product whose three registers share one of the two banks costs a cycle more. The order of
// products turns at the end of each row, so that one factor stays. One loop serves aligned and unaligned rows of B: two loops would share
// one choice of registers, and one of them would meet those of the same bank. Addresses cost few instructions, as all that a thread
// brings of B lies in one row. The slices of a piece are added up in registers, with many loads on their way at the same time.
#include <cuda_pipeline.h>
#include <tilelab/device.cuh>

constexpr int high = 128, wide = 256;           // a block's piece of C
constexpr int depth = 8;                        // of a tile along K
constexpr int rows = 16, columns = 8;           // a thread's elements, in groups of four
constexpr int threads = 256;
constexpr int warp_high = 128, warp_wide = 32;  // a warp's piece
constexpr int lanes_high = warp_high / rows;    // of a warp
constexpr int row_step = 4 * lanes_high, column_step = warp_wide / 2;  // from one group of a thread to its next
constexpr int stages = 3;       // pairs of tiles in shared memory
constexpr int band = 1;         // rows of pieces that are computed together
constexpr int places = 132;     // blocks that an H200 runs at the same time
constexpr int least = 128;      // along K in a slice
constexpr int bring_rows = threads / depth;  // of A in one go

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

// How a thread's copies of the next pair of tiles go: from two addresses that move along with the tiles to two that go round the ring. What
// lies between the thread's rows of A are offsets that stay. Its elements of B lie in one row: their distances are part of the instruction.
struct Source {
  const float *a, *b;
  int a_offset[high / bring_rows];
  int N, a_k, b_k, columns_left, place = 0;
  float *a_to, *b_to;
  bool inner;    // no column of the piece is right of C
  bool aligned;  // rows of B begin at a multiple of 16 bytes: one copy brings four floats

  __device__ Source(const float* A, const float* B, int M, int N, int K, int top, int left, int start, Stage* ring)
      : a(A + start), N(N), a_k(threadIdx.x % depth), b_k(threadIdx.x / 32), aligned(N % 4 == 0) {
    const int from = threadIdx.x % 32 * (aligned ? 4 : 1), a_row = threadIdx.x / depth;
    a_to = &ring->a[a_k][a_row];
    b_to = &ring->b[b_k][from];
    columns_left = N - left - from;
    inner = left + wide <= N;
#pragma unroll
    for (int i = 0; i < high / bring_rows; ++i) a_offset[i] = min(top + a_row + i * bring_rows, M - 1) * K + a_k;  // a row too many: the last again
    b = B + static_cast<long long>(start + b_k) * N + left + from;
  }

  // The next `valid` steps along K; after them zeros up to the tile's depth. `whole`: they are all of the tile.
  __device__ __forceinline__ void bring(int valid, bool whole) {
#pragma unroll
    for (int i = 0; i < high / bring_rows; ++i) {
      __pipeline_memcpy_async(a_to + i * bring_rows, a + a_offset[i], 4, whole || a_k < valid ? 0 : 4);
    }
    if (aligned) {
      bring_b<4>(whole || b_k < valid);
    } else {
      bring_b<1>(whole || b_k < valid);
    }
    a += valid;
    b += static_cast<long long>(valid) * N;
    constexpr int floats = sizeof(Stage) / sizeof(float);
    const int further = place == stages - 1 ? -(stages - 1) * floats : floats;
    place = place == stages - 1 ? 0 : place + 1;
    a_to += further;
    b_to += further;
  }

  template <int width>
  __device__ __forceinline__ void bring_b(bool inside) {
#pragma unroll
    for (int i = 0; i < wide; i += 32 * width) {
      if (inner || i < columns_left) __pipeline_memcpy_async(b_to + i, b + i, 4 * width, inside ? 0 : 4 * width);
    }
  }
};

// The values that a thread needs for one step along K.
struct Step {
  float4 a[rows / 4], b[columns / 4];
};

__device__ __forceinline__ void read(Step& step, const Stage& stage, int k, int row, int column) {
#pragma unroll
  for (int j = 0; j < columns / 4; ++j) step.b[j] = *reinterpret_cast<const float4*>(&stage.b[k][column + j * column_step]);
#pragma unroll
  for (int i = 0; i < rows / 4; ++i) step.a[i] = *reinterpret_cast<const float4*>(&stage.a[k][row + i * row_step]);
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

__global__ void __launch_bounds__(threads, 1) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Stage ring[stages];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int lane_row = lane / 2 % 8, lane_column = lane % 2 + lane / 16 * 2;  // lanes in a zigzag: 8 rows of 4
  const int warp_row = warp / (wide / warp_wide) * warp_high, warp_column = warp % (wide / warp_wide) * warp_wide;
  const int row = warp_row + lane_row * 4, column = warp_column + lane_column * 4;
  const int all_rows = (M + high - 1) / high, per_band = band * ((N + wide - 1) / wide);  // in pieces
  const int first = blockIdx.x / per_band * band, in_band = min(band, all_rows - first), place = blockIdx.x % per_band;
  const int top = (first + place % in_band) * high, left = place / in_band * wide;
  const int all_tiles = (K + depth - 1) / depth, slices = gridDim.y, slice = blockIdx.y;
  const int from = all_tiles * slice / slices, tiles = all_tiles * (slice + 1) / slices - from;
  const int beginning = K - (all_tiles - 1) * depth;  // the length of the first tile of all; the others are whole

  Source source(A, B, M, N, K, top, left, from == 0 ? 0 : beginning + (from - 1) * depth, ring);
  if (!source.inner) {  // nothing is copied to columns right of C
    static_assert(threads == wide);
    for (Stage& stage : ring) {
      for (int k = 0; k < depth; ++k) stage.b[k][threadIdx.x] = 0;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < stages - 1; ++i) {
    if (i < tiles) source.bring(from + i == 0 ? beginning : depth, false);
    __pipeline_commit();
  }
  __pipeline_wait_prior(stages - 2);
  __syncthreads();
  Step steps[2];
  read(steps[0], ring[0], 0, row, column);
  float sums[rows][columns] = {};
  int now = 0;
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      if (k == depth - 1) {
        now = now == stages - 1 ? 0 : now + 1;
        __pipeline_wait_prior(stages - 2);  // the next pair is here, and nobody will read this one again
        __syncthreads();
      }
      if (k < depth - 1 || tile + 1 < tiles) read(steps[(k + 1) % 2], ring[now], (k + 1) % depth, row, column);
      if (k == 0) {
        if (tile + stages - 1 < tiles) source.bring(depth, true);
        __pipeline_commit();
      }
      multiply(sums, steps[k % 2]);
    }
  }
  __pipeline_wait_prior(0);
  __syncthreads();

  if (slices > 1) {
    constexpr int fours = rows * columns / 4;
    float4* const mine = partial[blockIdx.x * slices + slice] + threadIdx.x;
#pragma unroll
    for (int i = 0; i < fours; ++i) __stcg(mine + i * threads, four(&sums[i / 2][i % 2 * 4]));
    __shared__ bool last;
    __threadfence();
    __syncthreads();  // every thread's sums are there before the ticket is drawn
    if (threadIdx.x == 0) last = atomicInc(&arrived[blockIdx.x], slices - 1) == slices - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
      for (int j = 0; j < columns; ++j) sums[i][j] = 0;
    }
    for (int other = 0; other < slices; ++other) {  // always in this order, so that the result is the same each time
      const float4* const part = partial[blockIdx.x * slices + other] + threadIdx.x;
#pragma unroll
      for (int i = 0; i < fours; ++i) {
        const float4 more = __ldcg(part + i * threads);
        float* const sum = &sums[i / 2][i % 2 * 4];
        sum[1] += more.x, sum[0] += more.y, sum[3] += more.z, sum[2] += more.w;
      }
    }
  }
  // One row of each row of lanes at a time go through shared memory, so that its lanes store neighbouring elements.
  constexpr int line = warp_wide + 8;  // what eight lanes store at a time lies in different banks
  float* const lines = reinterpret_cast<float*>(ring) + warp * lanes_high * line;
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int j = 0; j < columns / 4; ++j) {
      *reinterpret_cast<float4*>(&lines[lane_row * line + lane_column * 4 + j * column_step]) = four(&sums[i][j * 4]);
    }
    __syncwarp();
#pragma unroll
    for (int part = 0; part < lanes_high * warp_wide / 32; ++part) {
      const int y = part / (warp_wide / 32), x = part % (warp_wide / 32) * 32 + lane;
      const float sum = lines[y * line + (x ^ 1)];
      const int c_row = top + warp_row + i / 4 * row_step + y * 4 + i % 4, c_column = left + warp_column + x;
      if (c_row < M && c_column < N) C[static_cast<long long>(c_row) * N + c_column] = sum;
    }
    __syncwarp();
  }
}
