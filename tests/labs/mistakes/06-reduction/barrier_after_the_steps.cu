// mistake: verdict=race; line=14; says="with no __syncthreads() between the two"
#include <tilelab/device.cuh>

constexpr int threads = 128;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  parts[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = threads / 2; s > 0; s /= 2) {
    if (t < s) parts[t] += parts[t + s];
  }
  __syncthreads();
  if (t == 0) atomicAdd(sum, parts[0]);
}
