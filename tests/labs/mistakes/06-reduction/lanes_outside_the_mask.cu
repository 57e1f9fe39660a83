// mistake: verdict=uninitialized-read; line=10; says="which is not in the mask"
// The mask is right, but a lane past the end gives its own value back: counted twice.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 255) / 256), dim3(256)}; }
__global__ void sum_reduce(const float* in, float* sum, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    float v = in[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(mask, v, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
  }
}
