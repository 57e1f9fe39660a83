// verdict: out-of-bounds line: 13
// The launch function forgets the bytes of the bins.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  return LaunchConfig{dim3((n + 16 * threads - 1) / (16 * threads)), dim3(threads)};
}

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  extern __shared__ unsigned own[];
  for (int b = threadIdx.x; b < bin_count; b += threads) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const int value = values[i];
    if (value >= 0 && value < bin_count) atomicAdd(&own[value], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += threads) atomicAdd(&bins[b], own[b]);
}
