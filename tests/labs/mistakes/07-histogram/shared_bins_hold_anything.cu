// mistake: verdict=uninitialized-read; line=11; says="which no thread has written since the block started"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) { return {dim3((n + 255) / 256), dim3(256)}; }

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  __shared__ unsigned own[1024];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    const int v = values[i];
    if (v >= 0 && v < bin_count) atomicAdd(&own[v], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += 256) atomicAdd(&bins[b], own[b]);
}
