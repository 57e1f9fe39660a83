// The sums of the blocks are scanned by a single block in a loop, which carries what it has so far. Shared memory is asked for at the launch.
#include <cuda_runtime.h>
#include <assert.h>
#include <stdio.h>

#define cudaCheck(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    if (abort) exit(code);
  }
}

__device__ int scanInShared(int value, int *shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned int d = 1; d < blockDim.x; d <<= 1) {
    int add = 0;
    if (threadIdx.x >= d) add = shared[threadIdx.x - d];
    __syncthreads();
    shared[threadIdx.x] += add;
    __syncthreads();
  }
  return shared[threadIdx.x];
}

__global__ void scanBlocks(const int *in, int *out, int *sums, int n) {
  extern __shared__ int s[];
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  int value = scanInShared(i < n ? in[i] : 0, s);
  if (i < n) out[i] = value;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}

__global__ void scanSums(int *sums, int count) {
  extern __shared__ int s[];
  __shared__ int carry;
  if (threadIdx.x == 0) carry = 0;
  __syncthreads();
  for (int start = 0; start < count; start += blockDim.x) {
    int i = start + threadIdx.x;
    int value = scanInShared(i < count ? sums[i] : 0, s) + carry;
    if (i < count) sums[i] = value;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = value;
    __syncthreads();
  }
}

__global__ void addSums(int *out, const int *sums, int n) {
  __shared__ int before;
  if (threadIdx.x == 0) before = blockIdx.x == 0 ? 0 : sums[blockIdx.x - 1];
  __syncthreads();
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) out[i] += before;
}

void scan(const int *in, int *out, int n, const int block = 512) {
  const int grid = (int)ceil(n / (float)block);
  int *d_sums = 0;
  cudaCheck(cudaMalloc(&d_sums, grid * sizeof(*d_sums)));
  cudaCheck(cudaMemset(d_sums, 0, grid * sizeof(*d_sums)));
  scanBlocks<<<grid, block, block * sizeof(int)>>>(in, out, d_sums, n);
  cudaCheck(cudaPeekAtLastError());
  scanSums<<<1, block, block * sizeof(int)>>>(d_sums, grid);
  cudaCheck(cudaPeekAtLastError());
  addSums<<<grid, block>>>(out, d_sums, n);
  cudaCheck(cudaPeekAtLastError());
  cudaCheck(cudaDeviceSynchronize());
  cudaCheck(cudaFree(d_sums));
}
