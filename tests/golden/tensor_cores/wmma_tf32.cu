// A product of 16 x 8 and 8 x 16 in tf32.
#include <mma.h>

#include "tensor_inputs.cuh"

using namespace nvcuda;

__global__ void shows() {
  __shared__ __align__(32) float A[16 * 8], B[8 * 16], C[16 * 16];
  for (unsigned i = threadIdx.x; i < 128; i += 32) {
    A[i] = wmma::__float_to_tf32(input(i) * 1.1f);
    B[i] = wmma::__float_to_tf32(input(i + 1000) * 1.1f);
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, A, 8);
  wmma::load_matrix_sync(b, B, 16);
  for (int step = 0; step < 3; ++step) wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < 256; ++i) show("C", i, C[i]);
  }
}
