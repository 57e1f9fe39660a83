// The largest of n whole numbers, n from 1. `largest` is one int in global memory and holds the smallest int before the launch.
#include <climits>
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int threads = 256;  // a power of two, so that each step halves them
// END SOLUTION

__host__ __device__ LaunchConfig largest_launch(int n) {
  // BEGIN PROMPT
  // TODO: how many threads does a block have, and how many blocks take care of n numbers?
  //> return LaunchConfig{dim3(1), dim3(1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)};
  // END SOLUTION
}

__global__ void largest(const int* in, int* largest, int n) {
  // BEGIN PROMPT
  // TODO: first the largest number of each block, in shared memory. Then one thread of the block compares it with *largest.
  // END PROMPT
  // BEGIN SOLUTION
  __shared__ int kept[threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  kept[threadIdx.x] = i < n ? in[i] : INT_MIN;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] = max(kept[threadIdx.x], kept[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) atomicMax(largest, kept[0]);
  // END SOLUTION
}
