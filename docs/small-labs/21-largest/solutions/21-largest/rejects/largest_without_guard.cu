// verdict: out-of-bounds line: 11
// Threads past the last number load as well.
#include <climits>
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig largest_launch(int n) { return LaunchConfig{dim3((n + 255) / 256), dim3(256)}; }

__global__ void largest(const int* in, int* largest, int n) {
  __shared__ int kept[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  kept[threadIdx.x] = in[i];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) kept[threadIdx.x] = max(kept[threadIdx.x], kept[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) atomicMax(largest, kept[0]);
}
