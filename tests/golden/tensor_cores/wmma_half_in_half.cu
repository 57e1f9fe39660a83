// A product of 16 x 16 and 16 x 16 by nvcuda::wmma, added to itself three times.
#include <mma.h>

#include "tensor_inputs.cuh"

using namespace nvcuda;

__global__ void shows() {
  __shared__ __align__(32) half A[16 * 16], B[16 * 16];
  __shared__ __align__(32) half C[16 * 16];
  for (unsigned i = threadIdx.x; i < 16 * 16; i += 32) A[i] = __float2half(input(i));
  for (unsigned i = threadIdx.x; i < 16 * 16; i += 32) B[i] = __float2half(input(i + 1000));
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> c;
  wmma::fill_fragment(c, __float2half(0.0f));
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 16);
  for (int step = 0; step < 3; ++step) wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < 16 * 16; ++i) show("C", i, __half2float(C[i]));
  }
}
