// check: --kernel total --grid 4 --block 64 --arg 'int[256]=iota' --arg 'int[256]' --arg 'unsigned[1]=0' --arg 'int[1]'
#include <cassert>
#include <cuda/atomic>
#include <cuda/barrier>

// Each block's threads write, a barrier joins them, and one thread tells the other blocks.
__global__ void total(const int* in, int* parts, unsigned* ticket, int* sum) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ bool last;
  __shared__ int all;
  const int t = threadIdx.x;
  if (t == 0) {
    init(&bar, 64);
    all = 0;
  }
  __syncthreads();
  parts[blockIdx.x * 64 + t] = 3 * in[blockIdx.x * 64 + t];
  bar.arrive_and_wait();
  if (t == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> tickets(*ticket);
    last = tickets.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
  }
  bar.arrive_and_wait();
  if (!last) return;
  int own = 0;
  for (int b = 0; b < 4; ++b) own += parts[b * 64 + t];
  atomicAdd(&all, own);
  bar.arrive_and_wait();
  if (t == 0) {
    *sum = all;
    assert(all == 3 * 255 * 128);
  }
}
