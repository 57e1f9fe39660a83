// check: --kernel fill --block 32 --arg 'unsigned[32]' --arg unsigned=4294967295
#include <mma.h>

__global__ void tensor(float* C) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;
  nvcuda::wmma::fill_fragment(sum, 0.0f);
}

__global__ void fill(unsigned* C, unsigned value) { C[threadIdx.x] = value; }
