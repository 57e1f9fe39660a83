// verdict: race
// Two threads count the same letter at once.
#include <tilelab/device.cuh>

constexpr int letter_count = 26;

__host__ __device__ LaunchConfig letters_launch(int n) { return LaunchConfig{dim3((n + 255) / 256), dim3(256)}; }

__global__ void letters(const unsigned char* text, unsigned* bins, int n) {
  __shared__ unsigned own[letter_count];
  if (threadIdx.x < letter_count) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && text[i] >= 'a' && text[i] <= 'z') ++own[text[i] - 'a'];
  __syncthreads();
  if (threadIdx.x < letter_count) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
