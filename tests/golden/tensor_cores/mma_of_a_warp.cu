// mma.sync by inline PTX: 16 x 16 and 16 x 8 in half precision, 16 x 8 and 8 x 8 in tf32.
#include <cuda_fp16.h>

#include "tensor_inputs.cuh"

__device__ unsigned two(unsigned i) {
  return __half_as_ushort(__float2half(input(i))) | static_cast<unsigned>(__half_as_ushort(__float2half(input(i + 1)))) << 16;
}

__global__ void shows() {
  __shared__ float sums[256];
  const unsigned t = threadIdx.x;
  float c[4] = {}, d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(two(t * 12)), "r"(two(t * 12 + 2)), "r"(two(t * 12 + 4)), "r"(two(t * 12 + 6)), "r"(two(t * 12 + 8)), "r"(two(t * 12 + 10)));
  unsigned x[6];
  for (unsigned i = 0; i < 6; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x[i]) : "f"(input(t * 6 + i) * 1.1f));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]));
  for (int i = 0; i < 4; ++i) {
    sums[t * 4 + i] = c[i];
    sums[128 + t * 4 + i] = d[i];
  }
  __syncthreads();
  if (t == 0) {
    for (unsigned i = 0; i < 256; ++i) show(i < 128 ? "half" : "tf32", i, sums[i]);
  }
}
