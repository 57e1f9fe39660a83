// Lanes with one value meet by __match_any_sync; dynamic shared bins; a grid-stride loop whose lanes all stay to the end.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  int blocks = (n + 2047) / 2048;
  blocks = blocks > 48 ? 48 : blocks;
  return LaunchConfig{dim3(blocks), dim3(128), bin_count * sizeof(unsigned)};
}

extern __shared__ unsigned own[];

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  for (int i = threadIdx.x; i < bin_count; i += blockDim.x) own[i] = 0u;
  __syncthreads();
  const int lane = threadIdx.x & 31;
  const long long step = (long long)blockDim.x * gridDim.x;
  for (long long base = (long long)blockIdx.x * blockDim.x + (threadIdx.x & ~31u); base < n; base += step) {
    const long long i = base + lane;
    const int v = i < n ? values[i] : -1;
    const unsigned same = __match_any_sync(0xffffffffu, v);
    const bool leads = lane == __ffs(same) - 1;
    if (leads && (unsigned)v < (unsigned)bin_count) atomicAdd(&own[v], __popc(same));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bin_count; i += blockDim.x)
    if (const unsigned count = own[i]; count != 0) atomicAdd(bins + i, count);
}
