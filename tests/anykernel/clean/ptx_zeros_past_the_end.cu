// check: --kernel padded --block 32 --arg 'float[50]=iota' --arg 'float[64]' --arg 'int=50'
// cp.async fills with zeros what it does not read.
#include <cassert>

__global__ void padded(const float* A, float* C, int n) {
  __shared__ float tile[64];
  for (int i = threadIdx.x; i < 64; i += 32) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]));
    const int bytes = i < n ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(i < n ? A + i : A), "r"(bytes) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += 32) {
    C[i] = tile[63 - i];
    assert(C[i] == (63 - i < n ? 63 - i : 0));
  }
}
