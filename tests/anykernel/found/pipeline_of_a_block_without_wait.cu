// race of tile in line 16: --kernel stages --grid 2 --block 64 --arg 'int[1024]=iota' --arg 'int[1024]'
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void stages(const int* in, int* out) {
  constexpr int count = 2;
  __shared__ int tile[count][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, count> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int first = blockIdx.x * 512, t = threadIdx.x;
  for (int compute = 0, fetch = 0; compute < 8; ++compute) {
    for (; fetch < 8 && fetch < compute + count; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetch % count], in + first + fetch * 64, cuda::aligned_size_t<4>(sizeof(int) * 64), pipe);
      pipe.producer_commit();
    }

    out[first + compute * 64 + t] = tile[compute % count][63 - t];
    pipe.consumer_release();
  }
}
