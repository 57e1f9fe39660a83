// Boundary-safe tiled multiplication, tuned, with one thread for each element of C still: C = A·B, any M, N, K ≥ 1.
// A is M×K, B is K×N, C is M×N: row-major, fp32. Beside the classic solution, which tiers are measured against; this one moves none.
//
// What makes it faster, each by means of the course:
// - Tiles of 32×32: each element is fetched from global memory 32 times, not 64 as with 16×16 (one block of 1,024 threads).
// - The tile of B lies in shared memory with its columns as rows, so that a thread reads four products' worth of A and of B with
//   one 128-bit load each; four floats of padding keep the eight lanes that are served together on different banks.
// - A warp computes a patch of 4×8 elements, not a row of 32: its lanes then ask for few different elements of A and B.
// - Guards are hoisted: inner tiles of K need none at all, and only the last one compares against K.
// - The next tile's elements are fetched into registers while the present one is multiplied.
#include <tilelab/device.cuh>

constexpr int tile = 32;
constexpr int pitch = tile + 4;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile * tile)};
}

__global__ void __launch_bounds__(tile* tile) matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[tile][pitch];  // rows of A, a piece of K
  __shared__ __align__(16) float Bs[tile][pitch];  // columns of B, the same piece of K

  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  // Fetching: a warp takes a row of 32 neighbours, so that its loads are coalesced.
  const int a_row = blockIdx.y * tile + warp;
  const int b_col = blockIdx.x * tile + lane;
  // Computing: four warps side by side, eight below each other, each with 8 columns and 4 rows of the block's 32×32.
  const int y = warp / 4 * 4 + lane / 8;
  const int x = warp % 4 * 8 + lane % 8;
  const int row = blockIdx.y * tile + y;
  const int col = blockIdx.x * tile + x;
  const bool has_row = a_row < M;
  const bool has_col = b_col < N;

  const float* a_next = A + (has_row ? a_row : 0) * K + lane;
  const float* b_next = B + warp * N + (has_col ? b_col : 0);
  const int step_b = tile * N;

  float a = has_row && lane < K ? *a_next : 0.0f;
  float b = has_col && warp < K ? *b_next : 0.0f;
  float sum = 0.0f;
  for (int start = 0; start < K; start += tile) {
    As[warp][lane] = a;
    Bs[lane][warp] = b;
    __syncthreads();  // the whole pair has arrived before anybody reads it

    const int next = start + tile;
    if (next + tile <= K) {  // all of the next piece lies inside: rows and columns alone decide, and they never change
      a_next += tile;
      b_next += step_b;
      a = has_row ? *a_next : 0.0f;
      b = has_col ? *b_next : 0.0f;
    } else if (next < K) {
      a_next += tile;
      b_next += step_b;
      a = has_row && next + lane < K ? *a_next : 0.0f;
      b = has_col && next + warp < K ? *b_next : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < tile; k += 4) {
      const float4 four_a = *reinterpret_cast<const float4*>(&As[y][k]);
      const float4 four_b = *reinterpret_cast<const float4*>(&Bs[x][k]);
      sum += four_a.x * four_b.x;
      sum += four_a.y * four_b.y;
      sum += four_a.z * four_b.z;
      sum += four_a.w * four_b.w;
    }
    __syncthreads();  // everybody is done with the pair before it is overwritten
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
