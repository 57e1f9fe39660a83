// check: --kernel product --grid 2,2 --block 32 --arg 'half[1024]=random' --arg 'half[1024]=random' --arg 'float[1024]'
// NVIDIA's example of a product of 32 x 32 by tensor cores, against the sums of single products.
#include <cassert>
#include <mma.h>

using namespace nvcuda;

__global__ void product(const half* A, const half* B, float* C) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < 32; k += 16) {
    wmma::load_matrix_sync(a, A + row * 32 + k, 32);
    wmma::load_matrix_sync(b, B + k * 32 + column, 32);
    wmma::mma_sync(c, a, b, c);
  }
  for (int i = 0; i < c.num_elements; ++i) c.x[i] *= 2.0f;
  wmma::store_matrix_sync(C + row * 32 + column, c, 32, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) {
    const int y = row + i / 16, x = column + i % 16;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += __half2float(A[y * 32 + k]) * __half2float(B[k * 32 + x]);
    assert(fabsf(C[y * 32 + x] - 2 * sum) < 1e-4f);
  }
}
