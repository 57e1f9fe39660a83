// check: --kernel filter --grid 4 --block 64 --arg 'const int[256]=random' --arg 'int[256]' --arg 'int[1]=0'
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// One atomic for all the lanes of a warp that came here together.
__device__ int next_place(int* count) {
  const cg::coalesced_group together = cg::coalesced_threads();
  int first = 0;
  if (together.thread_rank() == 0) first = atomicAdd(count, together.size());
  return together.shfl(first, 0) + together.thread_rank();
}

__global__ void filter(const int* A, int* found, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (A[i] % 3 == 0) found[next_place(count)] = A[i];
}
