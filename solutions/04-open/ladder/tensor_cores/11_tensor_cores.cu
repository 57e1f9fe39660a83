// Beyond the ladder: tensor cores. They read each float with 10 bits of fraction (TF32), so this is another sum than that of the rungs, and
// the open lab's tests reject it. A warp holds a piece of C in fragments, which only whole warps load, multiply and store. What surrounds
// them is rung 06: asynchronous copies into two pairs of tiles. It needs a GPU.
#include <cuda_pipeline.h>
#include <mma.h>
#include <tilelab/device.cuh>

using namespace nvcuda;

constexpr int high = 128, wide = 128;          // a block's piece of C
constexpr int depth = 16;                      // of a tile along K
constexpr int threads = 256;                   // 2 × 4 warps
constexpr int warp_high = 64, warp_wide = 32;  // a warp's piece
constexpr int side = 16, step = 8;             // of a fragment: side × side elements of C, `step` along K
constexpr int down = warp_high / side, across = warp_wide / side;
constexpr int pad = 4;  // rows begin in different banks

struct Stage {
  float a[high][depth + pad];
  float b[depth][wide + pad];
};

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int) {
  return LaunchConfig{dim3((N + wide - 1) / wide, (M + high - 1) / high), dim3(threads)};
}

// Queues the copies of one tile of `height` × `width` floats, of which rows_left × columns_left lie in the matrix; the others become zero.
template <int chunk, int height, int width, int line>
__device__ void bring(float (&to)[height][line], const float* from, int stride, int rows_left, int columns_left) {
#pragma unroll
  for (int i = threadIdx.x * chunk; i < height * width; i += threads * chunk) {
    const int y = i / width, x = i % width;
    const bool inside = y < rows_left && x < columns_left;
    __pipeline_memcpy_async(&to[y][x], inside ? from + static_cast<long long>(y) * stride + x : from, 4 * chunk, inside ? 0 : 4 * chunk);
  }
}

// `chunk`: floats in one copy. Four need rows of A and B that begin at a multiple of 16 bytes.
template <int chunk>
__device__ void product(const float* A, const float* B, float* C, int M, int N, int K, Stage* ring) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int top = blockIdx.y * high, left = blockIdx.x * wide;
  const int warp_row = warp / (wide / warp_wide) * warp_high, warp_column = warp % (wide / warp_wide) * warp_wide;
  const auto bring_tile = [&](int k, Stage& stage) {
    if (k < K) {
      bring<chunk, high, depth>(stage.a, A + static_cast<long long>(top) * K + k, K, M - top, K - k);
      bring<chunk, depth, wide>(stage.b, B + static_cast<long long>(k) * N + left, N, K - k, N - left);
    }
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, side, side, step, float> sums[down][across];
  for (auto& line : sums) {
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  bring_tile(0, ring[0]);
  for (int k = 0, now = 0; k < K; k += depth, now ^= 1) {
    bring_tile(k + depth, ring[now ^ 1]);
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll
    for (int at = 0; at < depth; at += step) {
      wmma::fragment<wmma::matrix_a, side, side, step, wmma::precision::tf32, wmma::row_major> a[down];
      wmma::fragment<wmma::matrix_b, side, side, step, wmma::precision::tf32, wmma::row_major> b[across];
#pragma unroll
      for (int i = 0; i < down; ++i) {
        wmma::load_matrix_sync(a[i], &ring[now].a[warp_row + i * side][at], depth + pad);
        for (float& value : a[i].x) value = wmma::__float_to_tf32(value);
      }
#pragma unroll
      for (int j = 0; j < across; ++j) {
        wmma::load_matrix_sync(b[j], &ring[now].b[at][warp_column + j * side], wide + pad);
        for (float& value : b[j].x) value = wmma::__float_to_tf32(value);
      }
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int j = 0; j < across; ++j) wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
      }
    }
    __syncthreads();  // the next copies go where this tile lies
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  // A fragment's elements lie in registers in an order that only the compiler knows, so each goes through shared memory.
  float(*const patch)[side + pad] = reinterpret_cast<float(*)[side + pad]>(ring) + warp * side;
#pragma unroll
  for (int i = 0; i < down; ++i) {
#pragma unroll
    for (int j = 0; j < across; ++j) {
      wmma::store_matrix_sync(&patch[0][0], sums[i][j], side + pad, wmma::mem_row_major);
      __syncwarp();
      for (int at = lane; at < side * side; at += 32) {
        const int row = top + warp_row + i * side + at / side, column = left + warp_column + j * side + at % side;
        if (row < M && column < N) C[static_cast<long long>(row) * N + column] = patch[at / side][at % side];
      }
      __syncwarp();
    }
  }
}

__global__ void __launch_bounds__(threads) matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(128) Stage ring[2];
  if (K % 4 == 0 && N % 4 == 0) {
    product<4>(A, B, C, M, N, K, ring);
  } else {
    product<1>(A, B, C, M, N, K, ring);
  }
}
