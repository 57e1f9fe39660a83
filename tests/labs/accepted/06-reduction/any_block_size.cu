// 192 threads: the upper part of each step is one shorter where the number of threads is odd.
#include <tilelab/device.cuh>

constexpr int threads = 192;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  parts[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int left = threads; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (t + half < left) parts[t] += parts[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, parts[0]);
}
