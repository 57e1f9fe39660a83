// verdict: wrong-answer
// After shuffling down only lane 0 has the sum of its warp. The other lanes add what they happen to have.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float mine = i < n ? in[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
  atomicAdd(sum, mine);
}
