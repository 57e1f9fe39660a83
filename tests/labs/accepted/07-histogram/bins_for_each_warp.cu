// Each warp counts in bins of its own: less waiting where many values are alike.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  return {dim3((n + 4095) / 4096), dim3(128), static_cast<unsigned>(4 * bin_count * sizeof(unsigned))};
}

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  extern __shared__ unsigned own[];
  const int warp = threadIdx.x / 32;
  for (int b = threadIdx.x; b < 4 * bin_count; b += 128) own[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const unsigned value = values[i];  // negative values become large ones
    if (value < static_cast<unsigned>(bin_count)) atomicAdd(&own[warp * bin_count + value], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += 128) {
    const unsigned all = own[b] + own[bin_count + b] + own[2 * bin_count + b] + own[3 * bin_count + b];
    if (all > 0) atomicAdd(bins + b, all);
  }
}
