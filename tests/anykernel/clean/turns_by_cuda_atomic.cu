// check: --kernel pass --grid 2 --block 256 --arg 'int[512]=iota' --arg 'int[512]'
#include <cuda/atomic>
#include <cuda/std/limits>

__global__ void pass(const int* in, int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> done;
  __shared__ int data;
  const int t = threadIdx.x;
  if (t == 0) { turn.store(0, cuda::memory_order_relaxed); done = 0; }
  __syncthreads();
  int sum = 0;
  for (int step = 1; step <= 3; ++step) {
    if (t == 0) {
      while (done.load(cuda::memory_order_acquire) != (step - 1) * 255) {}
      data = in[blockIdx.x * 256 + step];
      turn.store(step, cuda::memory_order_release);
      sum += data;
    } else {
      while (turn.load(cuda::memory_order_acquire) < step) {}
      sum += data;
      done.fetch_add(1, cuda::memory_order_release);
    }
  }
  out[blockIdx.x * 256 + t] = sum;
}
