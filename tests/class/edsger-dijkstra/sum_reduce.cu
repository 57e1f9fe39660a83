// The sum of a block in a tree.
#include <tilelab/device.cuh>

constexpr int threads = 128;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + threads - 1) / threads), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float tree[threads];
  int t = threadIdx.x, i = blockIdx.x * threads + t;
  tree[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) tree[t] += tree[t + half];
  }
  if (t == 0) atomicAdd(sum, tree[0]);
}
