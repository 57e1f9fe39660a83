// check: --kernel rounds --block 96 --arg 'int[96]'
#include <cassert>
#include <cuda/barrier>

__device__ int rounds_done;

struct Count {
  __device__ void operator()() const { ++rounds_done; }
};

// One barrier counts its phases by a function. From another, a third of the threads leaves after each phase; a third one is polled.
__global__ void rounds(int* out) {
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> counted;
  __shared__ cuda::barrier<cuda::thread_scope_block> shrinking, polled;
  __shared__ int values[96];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&counted, 96, Count());
    init(&shrinking, 96);
    init(&polled, 96);
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
  auto token = polled.arrive();
  while (!polled.try_wait(token)) {
  }
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
