// verdict: wrong-answer
// Each thread adds up in an int, which cuts off what comes after the point.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < n) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, total);
}
