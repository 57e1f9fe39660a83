// Two numbers for each thread as they are loaded, and the last warp written out, in order by __syncwarp().
#include <tilelab/device.cuh>

constexpr int threads = 256;

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return LaunchConfig{dim3((n + 2 * threads - 1) / (2 * threads)), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  __shared__ float parts[threads];
  const int t = threadIdx.x, i = blockIdx.x * (2 * threads) + t;
  float mine = i < n ? in[i] : 0.0f;
  if (i + threads < n) mine += in[i + threads];
  parts[t] = mine;
  __syncthreads();
  if (t < 128) parts[t] = mine = mine + parts[t + 128];
  __syncthreads();
  if (t < 64) parts[t] = mine = mine + parts[t + 64];
  __syncthreads();
  if (t < 32) {
    parts[t] = mine = mine + parts[t + 32];
    __syncwarp();
    if (t < 16) parts[t] = mine = mine + parts[t + 16];
    __syncwarp();
    if (t < 8) parts[t] = mine = mine + parts[t + 8];
    __syncwarp();
    if (t < 4) parts[t] = mine = mine + parts[t + 4];
    __syncwarp();
    if (t < 2) parts[t] = mine = mine + parts[t + 2];
    __syncwarp();
    if (t == 0) atomicAdd(sum, mine + parts[1]);
  }
}
