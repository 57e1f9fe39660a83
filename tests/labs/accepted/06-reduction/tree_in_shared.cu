// Half as many threads in each step: the classic tree.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  parts[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) parts[t] += parts[t + half];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, parts[0]);
}
