// check: --kernel stages --block 32 --arg 'float[512]=iota' --arg 'float[512]'
// Two tiles in turn: one is computed with while the next is copied. The usual wrappers around cp.async.
#include <cassert>

__device__ __forceinline__ void cp_async4(void* to, const void* from) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(at), "l"(from), "n"(16) : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

__global__ void stages(const float* A, float* C) {
  __shared__ __align__(16) float tile[2][128];
  const int t = threadIdx.x;
  cp_async4(&tile[0][4 * t], A + 4 * t);
  cp_async_commit();
  for (int step = 0; step < 4; ++step) {
    if (step + 1 < 4) cp_async4(&tile[(step + 1) % 2][4 * t], A + 128 * (step + 1) + 4 * t);
    cp_async_commit();
    cp_async_wait<1>();
    __syncthreads();
    for (int i = 0; i < 4; ++i) C[128 * step + 32 * i + t] = tile[step % 2][127 - (32 * i + t)];
    __syncthreads();
  }
  assert(C[t] == 127 - t);
}
