// Sum of many numbers: sum[0] += in[0] + ... + in[n - 1]. The threads of a block add up what they have, and one of them adds it to `sum`.
// in holds n numbers, n is any size from 1; sum is one number and is 0 before the launch: fp32, in global memory.
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int warp = 32;
constexpr int threads = 256;
constexpr int each = 8;  // numbers that a thread adds up alone, before it gives its sum to others

// The sum of what the lanes of a warp bring. Only lane 0 gets it.
__device__ float sum_of_warp(float mine) {
  for (int step = warp / 2; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  return mine;
}
// END SOLUTION

__host__ __device__ LaunchConfig sum_reduce_launch(int n) {
  // BEGIN PROMPT
  // TODO: enough blocks for n numbers, and threads in each. A thread may add up several numbers.
  // This placeholder starts a single thread.
  //> return LaunchConfig{dim3(1), dim3(1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3((n + threads * each - 1) / (threads * each)), dim3(threads)};
  // END SOLUTION
}

__global__ void sum_reduce(const float* in, float* sum, int n) {
  // BEGIN PROMPT
  // TODO: add up the numbers of a block in a __shared__ array, half as many threads in each step, with a barrier after each.
  // Then one thread adds the block's sum to sum[0]. Other blocks do so at the same time: which function makes that safe?
  // When this works, let the lanes of a warp add up with __shfl_down_sync, without shared memory.
  // END PROMPT
  // BEGIN SOLUTION
  __shared__ float sums[threads / warp];

  float mine = 0.0f;  // a thread without a number brings 0
  for (int at = blockIdx.x * threads + threadIdx.x; at < n; at += gridDim.x * threads) mine += in[at];

  mine = sum_of_warp(mine);
  if (threadIdx.x % warp == 0) sums[threadIdx.x / warp] = mine;
  __syncthreads();  // the first warp reads what all warps have stored

  mine = sum_of_warp(threadIdx.x < threads / warp ? sums[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
  // END SOLUTION
}
