// Histogram: bins[b] = how many of the n values are b. Each block counts in bins of its own, and adds them to `bins` at the end.
// values holds n numbers of any size; those outside 0 to bin_count - 1 are counted nowhere. bins holds bin_count numbers, 1 to 1024, which
// are 0 before the launch. n is any size from 1. Both lie in global memory.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig histogram_launch(int n, int bin_count) {
  // TODO: enough blocks for n values, and threads in each. How many values should a block count, if it then adds all its bins to `bins`?
  // A block's shared memory may have a size that depends on bin_count: the third number of a LaunchConfig, in bytes.
  // This placeholder starts a single thread.
  return LaunchConfig{dim3(1), dim3(1)};
}

__global__ void histogram(const int* values, unsigned* bins, int n, int bin_count) {
  // TODO: count each value that belongs in a bin. Many threads meet in the same bin: which function makes that safe?
  // When this works, give each block bins of its own in shared memory. They hold anything when the block starts.
  // Between which of the steps must all threads of the block wait?
}
