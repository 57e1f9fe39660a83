// Softmax of each row of a matrix: out[r][c] = exp(in[r][c]) / (the sum of exp over row r). in and out are rows×columns, row-major, fp32,
// in the memory of the GPU. rows and columns are any sizes from 1. A row's maximum is subtracted first, so that no exp is infinite.
#include <cstdio>

// BEGIN SOLUTION
constexpr int threads = 256;  // of a block, a multiple of 32. A block does one row
constexpr int warps = threads / 32;

// Combines one value of each thread of the block, and gives every thread the result. All threads of the block call it. `of_warp` is shared
// memory for one number of each warp.
template <class Combine>
__device__ float of_block(float value, float* of_warp, Combine combine) {
  for (int distance = 16; distance > 0; distance /= 2) value = combine(value, __shfl_xor_sync(0xffffffff, value, distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();  // no value is read before its warp has stored it
  value = of_warp[0];
  for (int warp = 1; warp < warps; ++warp) value = combine(value, of_warp[warp]);
  __syncthreads();  // the next call stores where others still read
  return value;
}
// END SOLUTION

__global__ void softmax_rows(const float* in, float* out, int columns) {
  // BEGIN PROMPT
  // TODO: what does a block do, and what does each of its threads?
  // Which number has no effect on a maximum, and which none on a sum? A thread without an element brings these.
  // END PROMPT
  // BEGIN SOLUTION
  const float* x = in + static_cast<size_t>(blockIdx.x) * columns;
  float* y = out + static_cast<size_t>(blockIdx.x) * columns;

  __shared__ float of_warp[warps];
  float most = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += threads) most = fmaxf(most, x[c]);
  most = of_block(most, of_warp, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += threads) sum += expf(x[c] - most);
  sum = of_block(sum, of_warp, [](float a, float b) { return a + b; });

  for (int c = threadIdx.x; c < columns; c += threads) y[c] = expf(x[c] - most) / sum;
  // END SOLUTION
}

// A function of the host. It may launch as many kernels as you like, and allocate memory for what they hand on.
void softmax(const float* in, float* out, int rows, int columns) {
  // BEGIN PROMPT
  // TODO: launch your kernel, or your kernels one after the other. Then ask for the error of the launch.
  // END PROMPT
  // BEGIN SOLUTION
  softmax_rows<<<rows, threads>>>(in, out, columns);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::fprintf(stderr, "softmax: %s\n", cudaGetErrorString(error));
  // END SOLUTION
}
