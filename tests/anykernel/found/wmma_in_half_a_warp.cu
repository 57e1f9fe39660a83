// barrier-divergence in line 14: --kernel half_of_it --block 32 --arg 'half[256]=random' --arg 'float[256]'
// Every lane of the warp has to come.
#include <mma.h>

using namespace nvcuda;

__global__ void half_of_it(const half* A, float* C) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, A, 16);
  if (threadIdx.x < 16) wmma::mma_sync(c, a, b, c);
  __syncthreads();
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
}
