// mistake: verdict=race; line=15; says="A __syncthreads() orders the threads of one block only"
#include <tilelab/device.cuh>

constexpr int threads = 64;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  parts[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < threads; ++k) parts[0] += parts[k];
  if (t == 0) sum[0] = parts[0];
}
