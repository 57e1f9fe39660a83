// race of tile in line 13: --kernel both --block 64 --arg 'half[256]=random' --arg 'float[256]'
// Two warps store their sums into one tile.
#include <mma.h>

using namespace nvcuda;

__global__ void both(const half* A, float* C) {
  __shared__ __align__(32) float tile[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, static_cast<float>(threadIdx.x / 32));
  wmma::load_matrix_sync(a, A, 16);
  wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 64) C[i] = tile[i] + static_cast<float>(a.x[0]);
}
