// A product of 16 x 16 bytes: whole numbers, so nothing may differ.
#include <mma.h>

#include "tensor_inputs.cuh"

using namespace nvcuda;

__global__ void shows() {
  __shared__ __align__(32) signed char A[256], B[256];
  __shared__ __align__(32) int C[256];
  for (unsigned i = threadIdx.x; i < 256; i += 32) {
    A[i] = static_cast<signed char>(static_cast<int>(input(i) * 30));
    B[i] = static_cast<signed char>(static_cast<int>(input(i + 1000) * 30));
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < 256; ++i) show("C", i, static_cast<float>(C[i]));
  }
}
