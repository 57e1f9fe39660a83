// Prefix sums: out[i] = in[0] + in[1] + ... + in[i] for every i below n. Each block scans its part. The sums of the blocks are scanned in
// the same way, and tell each block what lies before it.
// in and out hold n numbers each, n is from 1 to 300,000: int, in global memory. The host function `scan` launches the kernels.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

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

// TODO: let each block scan its numbers in a __shared__ array, with a barrier wherever a thread needs what another has stored. Then the
// blocks need what lies before them: which kernels does that take, and in which order do they run?
__global__ void scan_blocks(const int* in, int* out, int n) {}

void scan(const int* in, int* out, int n) {
  // TODO: launch your kernels. Ask for memory for the sums of the blocks with cudaMalloc, and free it. After each launch, ask for its
  // error: CHECK(cudaGetLastError()).
  // This placeholder launches a kernel that does nothing.
  const int blocks = (n + threads - 1) / threads;
  scan_blocks<<<blocks, threads>>>(in, out, n);
  CHECK(cudaGetLastError());
}
