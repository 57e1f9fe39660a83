// Every value changes the bins of all.
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  return LaunchConfig{dim3((n + 16 * threads - 1) / (16 * threads)), dim3(threads)};
}

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    const int value = values[i];
    if (value >= 0 && value < bin_count) atomicAdd(&bins[value], 1u);
  }
}
