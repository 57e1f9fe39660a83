// Prefix sums: out[i] = in[0] + in[1] + ... + in[i] for every i below n. Each block scans its part. The sums of the blocks are scanned in
// the same way, and tell each block what lies before it.
// in and out hold n numbers each, n is from 1 to 300,000: int, in global memory. The host function `scan` launches the kernels.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

// BEGIN GIVEN
// Put it around every call of CUDA: it says what failed, and ends the program.
#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

constexpr int threads = 256;  // of a block, which scans as many numbers
// END GIVEN

// BEGIN SOLUTION
constexpr int warp = 32;

// What a lane and those before it in its warp bring, added up.
__device__ int scan_of_warp(int mine) {
  const int lane = threadIdx.x % warp;
  for (int step = 1; step < warp; step *= 2) {
    const int other = __shfl_up_sync(0xffffffff, mine, step);
    if (lane >= step) mine += other;
  }
  return mine;
}

// What a thread and those before it in its block bring, added up. All threads of the block must call it together, and only once.
__device__ int scan_of_block(int mine) {
  __shared__ int sums[threads / warp];  // of the warps
  const int lane = threadIdx.x % warp, row = threadIdx.x / warp;
  mine = scan_of_warp(mine);
  if (lane == warp - 1) sums[row] = mine;
  __syncthreads();  // the first warp reads what all warps have stored
  if (row == 0) {
    const int scanned = scan_of_warp(lane < threads / warp ? sums[lane] : 0);
    if (lane < threads / warp) sums[lane] = scanned;
  }
  __syncthreads();  // all warps read what the first one has stored
  return row > 0 ? sums[row - 1] + mine : mine;
}

// sums[b] = the sum of the numbers of block b.
__global__ void sum_blocks(const int* in, int* sums, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const int sum = scan_of_block(i < n ? in[i] : 0);
  if (threadIdx.x == threads - 1) sums[blockIdx.x] = sum;
}
// END SOLUTION

// BEGIN PROMPT
// TODO: let each block scan its numbers in a __shared__ array, with a barrier wherever a thread needs what another has stored. Then the
// blocks need what lies before them: which kernels does that take, and in which order do they run?
//> __global__ void scan_blocks(const int* in, int* out, int n) {}
// END PROMPT
// BEGIN SOLUTION
// Scans the numbers of each block. before[b] = the sum of the blocks 0 to b; there is no `before` if there is a single block.
// in and out may be the same memory: a thread loads its number before it stores it.
__global__ void scan_blocks(const int* in, const int* before, int* out, int n) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const int mine = scan_of_block(i < n ? in[i] : 0);
  if (i < n) out[i] = blockIdx.x > 0 ? before[blockIdx.x - 1] + mine : mine;
}
// END SOLUTION

void scan(const int* in, int* out, int n) {
  // BEGIN PROMPT
  // TODO: launch your kernels. Ask for memory for the sums of the blocks with cudaMalloc, and free it. After each launch, ask for its
  // error: CHECK(cudaGetLastError()).
  // This placeholder launches a kernel that does nothing.
  //> const int blocks = (n + threads - 1) / threads;
  //> scan_blocks<<<blocks, threads>>>(in, out, n);
  //> CHECK(cudaGetLastError());
  // END PROMPT
  // BEGIN SOLUTION
  const int blocks = (n + threads - 1) / threads;
  int* sums = nullptr;
  if (blocks > 1) {
    CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    sum_blocks<<<blocks, threads>>>(in, sums, n);
    CHECK(cudaGetLastError());
    scan(sums, sums, blocks);  // there may be more sums than one block has threads
  }
  scan_blocks<<<blocks, threads>>>(in, sums, out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaFree(sums));
  // END SOLUTION
}
