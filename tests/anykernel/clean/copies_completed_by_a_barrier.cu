// check: --kernel copy --grid 2 --block 64 --arg 'float[1024]=iota' --arg 'float[1024]'
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

__global__ void copy(const float* in, float* out) {
  __shared__ float tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  const int t = threadIdx.x;
  for (int step = 0; step < 8; ++step) {
    const int at = (blockIdx.x * 8 + step) * 64;
    cuda::memcpy_async(block, tile, in + at, sizeof(float) * 64, bar);
    bar.arrive_and_wait();
    out[at + t] = tile[63 - t];
    block.sync();
  }
}
