// check: --kernel tile --block 32 --arg 'half[256]=random' --arg 'half[128]=random' --arg 'float[128]'
// ldmatrix and mma.sync: a product of 16 x 16 and 16 x 8, against the sums of single products.
#include <cassert>
#include <cuda_fp16.h>

__global__ void tile(const half* A, const half* B, float* C) {
  __shared__ __align__(16) half As[16][16], Bs[16][8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) As[i / 16][i % 16] = A[i];
  for (int i = lane; i < 128; i += 32) Bs[i / 8][i % 8] = B[i];
  __syncthreads();
  unsigned a[4], b[2];
  float c[4] = {};
  const unsigned left = static_cast<unsigned>(__cvta_generic_to_shared(&As[lane % 16][lane / 16 * 8]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(left));
  const unsigned right = static_cast<unsigned>(__cvta_generic_to_shared(&Bs[lane % 16][0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b[0]), "=r"(b[1]) : "r"(right));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += __half2float(As[row][k]) * __half2float(Bs[k][column]);
    assert(fabsf(sum - c[i]) < 1e-5f);
    C[row * 8 + column] = c[i];
  }
}
