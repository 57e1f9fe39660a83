// One cooperative launch with as many blocks as the device holds at once. The grid waits twice: for the sums of the blocks, and for their scan.
#include <cuda_runtime.h>
#include <cooperative_groups.h>

#include <algorithm>

namespace cg = cooperative_groups;

constexpr int threads = 256;

__device__ int scan_block(int mine, int* shared) {
  const auto block = cg::this_thread_block();
  const int t = block.thread_rank();
  shared[t] = mine;
  block.sync();
  for (int step = 1; step < threads; step *= 2) {
    const int other = t >= step ? shared[t - step] : 0;
    block.sync();
    shared[t] += other;
    block.sync();
  }
  return shared[t];
}

__global__ void scan_grid(const int* in, int* out, int* sums, int n, int each) {
  __shared__ int shared[threads];
  __shared__ int before;
  const auto grid = cg::this_grid();
  const int first = blockIdx.x * each * threads;
  int carry = 0;
  for (int k = 0; k < each; ++k) {
    const int i = first + k * threads + threadIdx.x;
    const int sum = scan_block(i < n ? in[i] : 0, shared);
    if (i < n) out[i] = carry + sum;
    carry += shared[threads - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = carry;
  grid.sync();
  if (blockIdx.x == 0) {
    carry = 0;
    for (int start = 0; start < gridDim.x; start += threads) {
      const int b = start + threadIdx.x;
      const int sum = scan_block(b < gridDim.x ? sums[b] : 0, shared);
      if (b < gridDim.x) sums[b] = carry + sum;
      carry += shared[threads - 1];
      __syncthreads();
    }
  }
  grid.sync();
  if (threadIdx.x == 0) before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
  __syncthreads();
  for (int k = 0; k < each; ++k) {
    const int i = first + k * threads + threadIdx.x;
    if (i < n) out[i] += before;
  }
}

void scan(const int* in, int* out, int n) {
  int device = 0, processors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, scan_grid, threads, 0);
  const int needed = (n + threads - 1) / threads;
  int blocks = std::max(1, std::min(needed, processors * resident));
  int each = (needed + blocks - 1) / blocks;
  int* sums;
  cudaMalloc(&sums, blocks * sizeof(int));
  void* arguments[] = {&in, &out, &sums, &n, &each};
  cudaLaunchCooperativeKernel((void*)scan_grid, dim3(blocks), dim3(threads), arguments, 0, 0);
  cudaDeviceSynchronize();
  cudaFree(sums);
}
