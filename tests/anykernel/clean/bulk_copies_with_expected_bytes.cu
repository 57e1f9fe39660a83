// check: --kernel copy --grid 2 --block 64 --arg 'int[512]=iota' --arg 'int[512]'
#include <cassert>
#include <cuda/barrier>

// One thread copies for all; the barrier waits for its bytes.
__global__ void copy(const int* in, int* out) {
  alignas(128) __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    const int at = (blockIdx.x * 4 + step) * 64;
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (t == 0) {
      cuda::device::memcpy_async_tx(tile, in + at, cuda::aligned_size_t<16>(sizeof(tile)), bar);
      token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
    } else {
      token = bar.arrive(1);
    }
    bar.wait(std::move(token));
    out[at + t] = tile[63 - t];
    __syncthreads();
  }
  assert(out[blockIdx.x * 256 + t] == int(blockIdx.x) * 256 + 63 - t);
}
