// verdict: race line: 16
// The first warp reads the sums of warps that have not stored theirs yet.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float sums[threads / 32];
  const int i = blockIdx.x * threads + threadIdx.x;
  float mine = i < n ? in[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  if (threadIdx.x >= 32) return;
  mine = threadIdx.x < threads / 32 ? sums[threadIdx.x] : 0.0f;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}
