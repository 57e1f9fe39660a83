// mistake: verdict=compile-error; line=7; says="bin_count"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) { return {dim3((n + 255) / 256), dim3(256)}; }

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  __shared__ unsigned own[bin_count];
  for (int b = threadIdx.x; b < bin_count; b += 256) own[b] = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && values[i] >= 0 && values[i] < bin_count) atomicAdd(&own[values[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += 256) atomicAdd(&bins[b], own[b]);
}
