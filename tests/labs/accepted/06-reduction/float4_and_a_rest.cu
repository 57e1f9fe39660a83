// Four numbers in each load, and the last ones singly.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 4 * threads - 1) / (4 * threads)), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  __syncthreads();
  const int first = blockIdx.x * threads + threadIdx.x;
  float mine = 0.0f;
  if (first < n / 4) {
    const float4 four = reinterpret_cast<const float4*>(in)[first];
    mine = (four.x + four.y) + (four.z + four.w);
  }
  if (first < n % 4) mine += in[n / 4 * 4 + first];
  for (int step = 16; step > 0; step >>= 1) mine += __shfl_down_sync(~0u, mine, step);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, total);
}
