// verdict: wrong-answer
// 96 threads: the halves are 48, 24, 12, 6, 3 and 1, and from 3 the last one is forgotten.
#include <tilelab/device.cuh>

constexpr int threads = 96;

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
