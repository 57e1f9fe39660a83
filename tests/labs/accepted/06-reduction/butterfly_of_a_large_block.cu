// __shfl_xor_sync gives every lane the sum; blocks of 1,024 threads with a stride over the whole grid.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return {dim3(n < 8192 ? 1 : 8), dim3(1024)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float mine = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += in[i];
  for (int step = 1; step < 32; step *= 2) mine += __shfl_xor_sync(0xffffffff, mine, step);
  if (lane == 0) sums[warp] = mine;
  __syncthreads();
  if (warp == 0) {
    mine = sums[lane];
    for (int step = 1; step < 32; step *= 2) mine += __shfl_xor_sync(0xffffffff, mine, step);
    if (lane == 0) atomicAdd(sum, mine);
  }
}
