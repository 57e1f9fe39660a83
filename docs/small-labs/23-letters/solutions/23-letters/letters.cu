// Counts letters: bins[b] becomes the number of bytes of `text` that are the letter 'a' + b. n bytes in, 26 counts out; the counts hold 0
// before the launch.
#include <tilelab/device.cuh>

// BEGIN SOLUTION
constexpr int letter_count = 26;
// END SOLUTION

__host__ __device__ LaunchConfig letters_launch(int n) {
  // BEGIN PROMPT
  // TODO: one thread for each byte.
  //> return LaunchConfig{dim3(1), dim3(1)};
  // END PROMPT
  // BEGIN SOLUTION
  return LaunchConfig{dim3((n + 255) / 256), dim3(256)};
  // END SOLUTION
}

__global__ void letters(const unsigned char* text, unsigned* bins, int n) {
  // BEGIN PROMPT
  // TODO: count in bins of the block's own first, in shared memory. Who clears them, and who adds them to `bins`?
  // END PROMPT
  // BEGIN SOLUTION
  __shared__ unsigned own[letter_count];
  if (threadIdx.x < letter_count) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && text[i] >= 'a' && text[i] <= 'z') atomicAdd(&own[text[i] - 'a'], 1u);
  __syncthreads();
  if (threadIdx.x < letter_count) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
  // END SOLUTION
}
