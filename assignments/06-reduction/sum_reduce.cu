// Sum of many numbers: sum[0] += in[0] + ... + in[n - 1]. The threads of a block add up what they have, and one of them adds it to `sum`.
// in holds n numbers, n is any size from 1; sum is one number and is 0 before the launch: fp32, in global memory.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig sum_reduce_launch(int n) {
  // TODO: enough blocks for n numbers, and threads in each. A thread may add up several numbers.
  // This placeholder starts a single thread.
  return LaunchConfig{dim3(1), dim3(1)};
}

__global__ void sum_reduce(const float* in, float* sum, int n) {
  // TODO: add up the numbers of a block in a __shared__ array, half as many threads in each step, with a barrier after each.
  // Then one thread adds the block's sum to sum[0]. Other blocks do so at the same time: which function makes that safe?
  // When this works, let the lanes of a warp add up with __shfl_down_sync, without shared memory.
}
