// __match_any_sync finds the lanes with the same value; one of them counts for all.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int) { return {dim3((n + 8191) / 8192), dim3(512)}; }

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  __shared__ unsigned own[1024];
  for (int b = threadIdx.x; b < bin_count; b += blockDim.x) own[b] = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int start = blockIdx.x * blockDim.x; start < n; start += gridDim.x * blockDim.x) {
    const int i = start + threadIdx.x;
    const int value = i < n ? values[i] : -1;
    const unsigned alike = __match_any_sync(0xffffffff, value);
    if (value >= 0 && value < bin_count && lane == __ffs(alike) - 1) atomicAdd(&own[value], __popc(alike));
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bin_count; b += blockDim.x)
    if (own[b]) atomicAdd(&bins[b], own[b]);
}
