// out-of-bounds of A in line 11: --kernel edge --grid 2 --block 32 --arg 'half[400]=random' --arg 'float[512]'
// The second tile of 25 rows reaches past the last row.
#include <mma.h>

using namespace nvcuda;

__global__ void edge(const half* A, float* C) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, A + blockIdx.x * 256, 16);
  wmma::load_matrix_sync(b, A, 16);
  wmma::fill_fragment(c, 0.0f);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C + blockIdx.x * 256, c, 16, wmma::mem_row_major);
}
