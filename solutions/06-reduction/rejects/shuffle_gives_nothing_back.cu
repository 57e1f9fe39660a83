// verdict: crash line: 5
// The sum of the warp is made and not returned.
#include <tilelab/device.cuh>

__device__ float sum_of_warp(float mine) {
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
}

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float mine = sum_of_warp(i < n ? in[i] : 0.0f);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
