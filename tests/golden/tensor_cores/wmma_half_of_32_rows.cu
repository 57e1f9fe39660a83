// A product of 32 x 16 and 16 x 8 by nvcuda::wmma, added to itself three times.
#include <mma.h>

#include "tensor_inputs.cuh"

using namespace nvcuda;

__global__ void shows() {
  __shared__ __align__(32) half A[32 * 16], B[16 * 8];
  __shared__ __align__(32) float C[32 * 8];
  for (unsigned i = threadIdx.x; i < 32 * 16; i += 32) A[i] = __float2half(input(i));
  for (unsigned i = threadIdx.x; i < 16 * 8; i += 32) B[i] = __float2half(input(i + 1000));
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(b, B, 8);
  for (int step = 0; step < 3; ++step) wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, 8, wmma::mem_row_major);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < 32 * 8; ++i) show("C", i, C[i]);
  }
}
