// Two 16-bit counters in each word of shared memory, flushed before one can overflow; member function templates; a struct in __shared__.
#include <tilelab/device.cuh>
constexpr int per_block = 4096;
struct Counters {
  unsigned word[512];
  __device__ void clear() { for (int i = threadIdx.x; i < 512; i += blockDim.x) word[i] = 0; }
  __device__ void count(int b) { atomicAdd(&word[b >> 1], b & 1 ? 0x10000u : 1u); }
  template <int Half> __device__ unsigned half(int i) const { return Half ? word[i] >> 16 : word[i] & 0xffffu; }
};

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  (void)bin_count;
  return LaunchConfig{dim3((n + per_block - 1) / per_block), dim3(256)};
}

__global__ void histogram(const int* __restrict__ values, unsigned* __restrict__ bins, int n, int bin_count) {
  __shared__ Counters c;
  c.clear();
  __syncthreads();
  const int first = blockIdx.x * per_block, last = min(first + per_block, n);
  for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
    const int v = values[i];
    if (v >= 0 && v < bin_count) c.count(v);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += blockDim.x) {
    if (const unsigned low = c.half<0>(i)) atomicAdd(&bins[2 * i], low);
    if (const unsigned high = c.half<1>(i)) atomicAdd(&bins[2 * i + 1], high);
  }
}
