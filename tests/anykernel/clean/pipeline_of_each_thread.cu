// check: --kernel stages --block 64 --arg 'float[512]=iota' --arg 'float[512]'
#include <cassert>
#include <cuda/pipeline>

__global__ void stages(const float* A, float* C) {
  __shared__ float tile[2][64];
  const int t = threadIdx.x;
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[0][t], A + t, sizeof(float), pipe);
  pipe.producer_commit();
  for (int step = 0; step < 8; ++step) {
    if (step < 7) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[(step + 1) % 2][t], A + 64 * (step + 1) + t, cuda::aligned_size_t<4>(sizeof(float)), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    C[64 * step + t] = tile[step % 2][63 - t];
    __syncthreads();
    pipe.consumer_release();
  }
  assert(C[t] == 63 - t);
}
