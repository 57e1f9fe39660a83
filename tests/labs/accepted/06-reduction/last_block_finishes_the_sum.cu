// Every block leaves its sum, and the block that comes last adds them up: no atomicAdd on floats, the same result each time.
#include <tilelab/device.cuh>

constexpr int threads = 128;
constexpr int most_blocks = 128;

__device__ float partial[most_blocks];
__device__ unsigned done;

__device__ float of_block(float* parts, float mine) {
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  const float all = parts[0];
  __syncthreads();
  return all;
}

__host__ __device__ LaunchConfig sum_reduce_launch(int n) {
  const int blocks = (n + threads - 1) / threads;
  return {dim3(blocks < most_blocks ? blocks : most_blocks), dim3(threads)};
}

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  __shared__ bool last;
  const int t = threadIdx.x;
  float mine = 0.0f;
  for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) mine += in[i];
  mine = of_block(parts, mine);
  if (t == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  mine = of_block(parts, t < gridDim.x ? partial[t] : 0.0f);
  if (t == 0) sum[0] = mine;
}
