// mistake: verdict=compile-error; line=10; says="`__shfl_down` is of old CUDA"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 255) / 256), dim3(256)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = i < n ? in[i] : 0.0f;
  for (int step = 16; step > 0; step /= 2)
    mine += __shfl_down(mine, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
