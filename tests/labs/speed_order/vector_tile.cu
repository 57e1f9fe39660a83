// Several elements of C for each thread, in groups of four: the tile of A lies turned, and every access to a tile is one of 16 bytes.
// Not a step of any ladder: it is there to be timed and predicted.
#include <tilelab/device.cuh>

constexpr int high = 64, wide = 64;    // a block's piece of C
constexpr int depth = 16;              // of a tile along K
constexpr int rows = 4, columns = 4;   // elements of C in a thread: multiples of four
constexpr int spare = 4;               // floats after each row of the turned tile of A
constexpr int pairs = 1;               // of tiles. 2: the next pair comes while this one is used
constexpr int idle = 0;                // bytes of shared memory that nobody uses: fewer blocks fit
constexpr int threads_down = high / rows, threads_across = wide / columns, threads = threads_down * threads_across;
constexpr int a_pieces = high * depth / 4 / threads, b_pieces = depth * wide / 4 / threads;  // of four floats, for each thread
static_assert(a_pieces * 4 * threads == high * depth && b_pieces * 4 * threads == depth * wide);

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + wide - 1) / wide, (M + high - 1) / high), dim3(threads), idle};
}

// Four elements of a row from `column` on; zero where the matrix ends.
__device__ float4 piece(const float* matrix, int height, int width, int row, int column) {
  const float* at = matrix + row * width + column;
  if (row < height && width % 4 == 0 && column < width) return *reinterpret_cast<const float4*>(at);
  const int left = row < height ? width - column : 0;
  return make_float4(left > 0 ? at[0] : 0.0f, left > 1 ? at[1] : 0.0f, left > 2 ? at[2] : 0.0f, left > 3 ? at[3] : 0.0f);
}

struct Pair {
  float a[depth][high + spare];
  float b[depth][wide];
};

// What one thread brings: pieces of A, then of B.
struct Cargo {
  float4 a[a_pieces], b[b_pieces];
  __device__ void fetch(const float* A, const float* B, int M, int N, int K, int top, int left, int start) {
#pragma unroll
    for (int i = 0; i < a_pieces; ++i) {
      const int at = threadIdx.x + i * threads;
      a[i] = piece(A, M, K, top + at / (depth / 4), start + at % (depth / 4) * 4);
    }
#pragma unroll
    for (int i = 0; i < b_pieces; ++i) {
      const int at = threadIdx.x + i * threads;
      b[i] = piece(B, K, N, start + at / (wide / 4), left + at % (wide / 4) * 4);
    }
  }
  __device__ void lay(Pair& pair) const {
#pragma unroll
    for (int i = 0; i < a_pieces; ++i) {
      const int at = threadIdx.x + i * threads, row = at / (depth / 4), k = at % (depth / 4) * 4;
      pair.a[k][row] = a[i].x;
      pair.a[k + 1][row] = a[i].y;
      pair.a[k + 2][row] = a[i].z;
      pair.a[k + 3][row] = a[i].w;
    }
#pragma unroll
    for (int i = 0; i < b_pieces; ++i) {
      const int at = threadIdx.x + i * threads;
      *reinterpret_cast<float4*>(&pair.b[at / (wide / 4)][at % (wide / 4) * 4]) = b[i];
    }
  }
};

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) Pair tiles[pairs];
  const int down = threadIdx.x / threads_across * 4, across = threadIdx.x % threads_across * 4;
  const int top = blockIdx.y * high, left = blockIdx.x * wide;

  Cargo cargo;
  if (pairs == 2) cargo.fetch(A, B, M, N, K, top, left, 0);
  float sums[rows][columns] = {};
  for (int start = 0, now = 0; start < K; start += depth, now = (now + 1) % pairs) {
    if (pairs == 1) cargo.fetch(A, B, M, N, K, top, left, start);
    cargo.lay(tiles[now]);
    __syncthreads();
    if (pairs == 2 && start + depth < K) cargo.fetch(A, B, M, N, K, top, left, start + depth);
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      __align__(16) float a[rows], b[columns];
#pragma unroll
      for (int i = 0; i < rows; i += 4) {
        *reinterpret_cast<float4*>(a + i) = *reinterpret_cast<const float4*>(&tiles[now].a[k][down + i * threads_down]);
      }
#pragma unroll
      for (int j = 0; j < columns; j += 4) {
        *reinterpret_cast<float4*>(b + j) = *reinterpret_cast<const float4*>(&tiles[now].b[k][across + j * threads_across]);
      }
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < columns; ++j) sums[i][j] += a[i] * b[j];
      }
    }
    if (pairs == 1) __syncthreads();
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
