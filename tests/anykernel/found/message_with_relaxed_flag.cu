// race of out in line 10: --kernel pass --grid 2 --block 64 --arg 'int[64]=iota' --arg 'int[64]' --arg 'int[1]=0'
#include <cuda/atomic>

__global__ void pass(const int* in, int* out, int* flag) {
  __shared__ int dummy[64];
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  dummy[t] = t;
  if (blockIdx.x == 0) {
    out[t] = in[t] * 2;
    __syncthreads();
    if (t == 0) ready.store(1, cuda::memory_order_relaxed);
  } else {
    if (t == 0) {
      while (ready.load(cuda::memory_order_relaxed) == 0) {}
    }
    __syncthreads();
    out[t] += 1;
  }
}
