// check: --kernel rounds --block 96 --arg 'int[96]'
#include <cassert>
#include <cuda/barrier>

__device__ int rounds_done;

struct Count {
  __device__ void operator()() const { ++rounds_done; }
};

// One barrier counts its phases by a function, from another a third of the threads is dropped, and one is waited for by its parity.
__global__ void rounds(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> counted;
  __shared__ cuda::barrier<cuda::thread_scope_block> shrinking, third;
  __shared__ int values[96];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&counted, 96, Count());
    init(&shrinking, 96);
    init(&third, 96);
  }
  __syncthreads();
  for (int step = 1; step <= 3; ++step) {
    counted.arrive_and_wait();
    assert(rounds_done == step);
    counted.arrive_and_wait();
    if (t == 0) --rounds_done;
    counted.arrive_and_wait();
    if (t == 0) --rounds_done;
    __syncthreads();
  }
  values[t] = t;
  (void)third.arrive();
  third.wait_parity(false);
  int sum = values[95 - t];
  __syncthreads();
  if (t >= 64) {
    values[t] = -t;
    shrinking.arrive_and_drop();
    out[t] = sum;
    return;
  }
  shrinking.arrive_and_wait();
  sum += values[t + 32];
  shrinking.arrive_and_wait();
  out[t] = sum;
}
