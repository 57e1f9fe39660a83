// uninitialized-read of As in line 10: --kernel part --block 32 --arg 'half[64]=random' --arg 'unsigned[128]'
#include <cuda_fp16.h>

__global__ void part(const half* A, unsigned* C) {
  __shared__ __align__(16) half As[16][8];
  for (int i = threadIdx.x; i < 64; i += 32) As[i / 8][i % 8] = A[i];
  __syncthreads();
  unsigned low, high;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&As[threadIdx.x % 16][0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(low), "=r"(high) : "r"(at));
  C[threadIdx.x] = low + high;
}
