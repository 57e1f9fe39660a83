// mistake: verdict=uninitialized-read; line=9; says="reads of_block, which no thread has written"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 255) / 256), dim3(256)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float of_block;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, of_block);
}
