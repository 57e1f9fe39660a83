// A thread takes every value of a stride, and counts values that are alike one after the other in a register.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  return LaunchConfig{dim3((n + 16 * threads - 1) / (16 * threads)), dim3(threads)};
}

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  __shared__ unsigned own[1024];
  for (int b = threadIdx.x; b < bin_count; b += threads) own[b] = 0;
  __syncthreads();
  int last = -1;
  unsigned run = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const int value = values[i];
    if (value == last) {
      ++run;
      continue;
    }
    if (last >= 0 && last < bin_count) atomicAdd(&own[last], run);
    last = value;
    run = 1;
  }
  if (last >= 0 && last < bin_count) atomicAdd(&own[last], run);
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += threads) atomicAdd(&bins[b], own[b]);
}
