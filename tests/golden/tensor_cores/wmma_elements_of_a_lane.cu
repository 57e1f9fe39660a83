// Which element of a 16 x 16 matrix each lane holds: CUDA promises nothing, some kernels rely on it.
#include <mma.h>

#include "tensor_inputs.cuh"

using namespace nvcuda;

__global__ void shows() {
  __shared__ __align__(32) half A[256];
  __shared__ __align__(32) float C[256], sums[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    A[i] = __float2half(static_cast<float>(i));
    C[i] = static_cast<float>(i);
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(a, A, 16);
  wmma::load_matrix_sync(c, C, 16, wmma::mem_row_major);
  __shared__ float left[32 * 16];
  for (int i = 0; i < 8; ++i) sums[threadIdx.x * 8 + i] = c.x[i];
  for (int i = 0; i < 16; ++i) left[threadIdx.x * 16 + i] = i < a.num_elements ? __half2float(a.x[i]) : -1.0f;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < 256; ++i) show("sum", i, sums[i]);
    for (unsigned i = 0; i < 512; i += 7) show("left", i, left[i]);
  }
}
