// Each thread keeps 16 numbers in registers, in an order that is known when the kernel is compiled: by a function, by a table, by min and
// by a running index; then it adds them up in a tree.
#include <tilelab/device.cuh>

constexpr int threads = 128, items = 16;

__device__ constexpr int turned(int i) { return (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3; }

__host__ __device__ LaunchConfig sum_reduce_launch(int n) { return {dim3((n + threads * items - 1) / (threads * items)), dim3(threads)}; }

__global__ void sum_reduce(const float* in, float* sum, int n) {
  constexpr int order[items] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  float first[items], second[items], third[items], fourth[items];
  const int base = blockIdx.x * threads * items + threadIdx.x;
  for (int i = 0; i < items; ++i) first[turned(i)] = base + i * threads < n ? in[base + i * threads] : 0;
  for (int i = 0; i < items; ++i) second[order[i]] = first[i];
  for (int i = 0; i < items + 4; ++i) third[min(i, items - 1)] = second[min(i, items - 1)];
  int at = 3;
  for (int i = 0; i < items; ++i) {
    fourth[at] = third[i];
    at = (at + 5) & (items - 1);
  }
  for (int d = 1; d < items; d <<= 1)
    for (int i = 0; i + d < items; i += 2 * d) fourth[i] += fourth[i + d];
  float total = fourth[0];
  for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffffu, total, d);
  __shared__ float sums[threads / 32];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < threads / 32; ++w) total += sums[w];
    atomicAdd(sum, total);
  }
}
