// race of tile in line 7: --kernel stages --block 64 --arg 'float[64]=iota' --arg 'float[64]'
#include <cuda_pipeline.h>

__global__ void stages(const float* A, float* C) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], A + t, sizeof(float));
  __pipeline_commit();
  __syncthreads();
  C[t] = tile[63 - t];
}
