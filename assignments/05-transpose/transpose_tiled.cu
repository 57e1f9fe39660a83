// Tiled transpose: out = in transposed. Each block turns one square tile in shared memory, so that both global sides go row by row.
// in is M×N, out is N×M: row-major, fp32, in global memory; M and N are any sizes from 1.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  // TODO: one block for each tile of `in`, those that stick out included.
  // This placeholder starts a single thread.
  return LaunchConfig{dim3(1, 1), dim3(1, 1)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  // TODO: load a tile of `in` into a __shared__ array, row by row, and store it to its place in `out`, row by row as well.
  // Which element does a thread store, who loaded it, and which edges limit the load and the store?
  // Then look at the banks: what do the threads of a warp ask of them when they read a column of the tile?
}
