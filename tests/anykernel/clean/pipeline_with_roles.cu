// check: --kernel stages --grid 2 --block 128 --arg 'int[1024]=iota' --arg 'int[1024]'
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void stages(const int* in, int* out) {
  constexpr int count = 2;
  __shared__ int tile[count][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, count> state;
  auto block = cg::this_thread_block();
  const auto role = block.thread_rank() < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  const int first = blockIdx.x * 512, t = threadIdx.x % 64;
  if (role == cuda::pipeline_role::producer) {
    for (int step = 0; step < 8; ++step) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[step % count][t], in + first + step * 64 + t, sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    for (int step = 0; step < 8; ++step) {
      pipe.consumer_wait();
      out[first + step * 64 + t] = tile[step % count][63 - t];
      pipe.consumer_release();
    }
  }
}
