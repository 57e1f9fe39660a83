// check: --kernel relay --grid 2 --block 128 --shared 512 --arg int=768 --arg int=64 --arg 'float[1536]=iota' --arg 'float[1536]'
#include <cooperative_groups.h>
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void produce(barrier ready[], barrier filled[], float* buffer, const float* in, int count, int length) {
  for (int i = 0; i < count / length; ++i) {
    ready[i % 2].arrive_and_wait();
    for (int k = threadIdx.x; k < length; k += 32) buffer[i % 2 * length + k] = 2 * in[i * length + k];
    barrier::arrival_token token = filled[i % 2].arrive();
    (void)token;
  }
}

__device__ void consume(barrier ready[], barrier filled[], const float* buffer, float* out, int count, int length) {
  (void)ready[0].arrive();
  (void)ready[1].arrive();
  for (int i = 0; i < count / length; ++i) {
    filled[i % 2].arrive_and_wait();
    for (int k = threadIdx.x - 32; k < length; k += 96) out[i * length + k] = buffer[i % 2 * length + length - 1 - k];
    (void)ready[i % 2].arrive();
  }
}

// The first warp fills two buffers by turns, and the others use them.
__global__ void relay(int count, int length, const float* in, float* out) {
  extern __shared__ float buffer[];
  __shared__ barrier bar[4];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() < 4) init(bar + block.thread_rank(), block.size());
  block.sync();
  const int first = blockIdx.x * count;
  if (threadIdx.x < 32)
    produce(bar, bar + 2, buffer, in + first, count, length);
  else
    consume(bar, bar + 2, buffer, out + first, count, length);
}
