// check: --kernel stages --block 64 --arg 'float[512]=iota' --arg 'float[512]'
#include <cassert>
#include <cuda_pipeline.h>

__global__ void stages(const float* A, float* C) {
  __shared__ float tile[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], A + t, sizeof(float));
  __pipeline_commit();
  for (int step = 0; step < 8; ++step) {
    if (step < 7) __pipeline_memcpy_async(&tile[(step + 1) % 2][t], A + 64 * (step + 1) + t, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    C[64 * step + t] = tile[step % 2][63 - t];
    __syncthreads();
  }
  assert(C[t] == 63 - t);
}
