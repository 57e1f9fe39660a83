// race of tile in line 9: --kernel stages --block 32 --arg 'float[128]=iota' --arg 'float[128]'
// The wait leaves one stage under way: the one that is used.
#include <cuda/pipeline>

__global__ void stages(const float* A, float* C) {
  __shared__ float tile[32];
  auto pipe = cuda::make_pipeline();
  for (int step = 0; step < 4; ++step) {
    cuda::memcpy_async(&tile[threadIdx.x], A + 32 * step + threadIdx.x, sizeof(float), pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    C[32 * step + threadIdx.x] = tile[threadIdx.x];
  }
}
