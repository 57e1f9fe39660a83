// mistake: verdict=wrong-answer; line=0; says="There may be more bins than threads in a block"
// 256 threads clear and add 256 bins: those of a larger histogram are forgotten.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) { return LaunchConfig{dim3((n + 1023) / 1024), dim3(256)}; }
__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  __shared__ unsigned own[1024];
  int b = threadIdx.x;
  for (int i = b; i < 1024; i += 256) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n && i < (blockIdx.x + 1) * 1024; i += 256)
    if (values[i] >= 0 && values[i] < bin_count) atomicAdd(&own[values[i]], 1u);
  __syncthreads();
  if (b < bin_count) atomicAdd(&bins[b], own[b]);
}
