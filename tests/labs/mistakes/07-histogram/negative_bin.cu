// mistake: verdict=out-of-bounds; line=8; says="before the start"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) { return {dim3((n + 255) / 256), dim3(256)}; }

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && values[i] < bin_count) atomicAdd(&bins[values[i]], 1);
}
