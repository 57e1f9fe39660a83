// Tiled transpose: out = in transposed. Each block turns one square tile in shared memory, so that both global sides go row by row.
// in is M×N, out is N×M: row-major, fp32, in global memory; M and N are any sizes from 1.
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int tile = 32;  // a warp moves one row of it
constexpr int rows = 8;   // of threads in a block: each thread moves tile / rows elements
// END SOLUTION

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  // BEGIN PROMPT
  // TODO: one block for each tile of `in`, those that stick out included.
  // This placeholder starts a single thread.
  //> return LaunchConfig{dim3(1, 1), dim3(1, 1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, rows)};
  // END SOLUTION
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  // BEGIN PROMPT
  // TODO: load a tile of `in` into a __shared__ array, row by row, and store it to its place in `out`, row by row as well.
  // Which element does a thread store, who loaded it, and which edges limit the load and the store?
  // Then look at the banks: what do the threads of a warp ask of them when they read a column of the tile?
  // END PROMPT
  // BEGIN SOLUTION
  __shared__ float turning[tile][tile + 1];  // one column more: elements of a column lie in different banks

  const int left = blockIdx.x * tile;  // of this block's tile in `in`
  const int top = blockIdx.y * tile;
  const int x = threadIdx.x;

  for (int y = threadIdx.y; y < tile; y += rows) {
    if (top + y < M && left + x < N) turning[y][x] = in[(top + y) * N + left + x];
  }
  __syncthreads();  // a thread stores what others have loaded

  for (int y = threadIdx.y; y < tile; y += rows) {
    if (left + y < N && top + x < M) out[(left + y) * M + top + x] = turning[x][y];
  }
  // END SOLUTION
}
