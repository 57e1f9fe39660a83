// Keeps exp of a row in dynamic shared memory where it fits, and computes it again where it does not. A stream and events of its own.
#include <stdio.h>
#include <algorithm>

static void check(cudaError_t e, int line) {
  if (e != cudaSuccess) printf("line %d: %s\n", line, cudaGetErrorName(e));
}

template <bool keeps>
__global__ void rows_kernel(const float* in, float* out, int rows, int columns) {
  extern __shared__ float kept[];
  __shared__ float scratch[32];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    float m = -3.402823466e+38f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      if (keeps) kept[c] = x[c];
      m = fmaxf(m, x[c]);
    }
    for (int mask = 16; mask > 0; mask >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, mask));
    if (lane == 0) scratch[warp] = m;
    __syncthreads();
    for (unsigned w = 0; w < warps; ++w) m = fmaxf(m, scratch[w]);
    __syncthreads();
    float s = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      const float e = exp2f((keeps ? kept[c] : x[c]) * 1.4426950408889634f - m * 1.4426950408889634f);
      if (keeps) kept[c] = e;
      s += e;
    }
    for (int mask = 16; mask > 0; mask >>= 1) s += __shfl_xor_sync(~0u, s, mask);
    if (lane == 0) scratch[warp] = s;
    __syncthreads();
    s = 0;
    for (unsigned w = 0; w < warps; ++w) s += scratch[w];
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[c] = (keeps ? kept[c] : exp2f(x[c] * 1.4426950408889634f - m * 1.4426950408889634f)) / s;
    __syncthreads();
  }
}

void softmax(const float* in, float* out, int rows, int columns) {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  check(cudaStreamCreate(&stream), __LINE__);
  check(cudaEventCreate(&begin), __LINE__);
  check(cudaEventCreate(&end), __LINE__);
  check(cudaEventRecord(begin, stream), __LINE__);
  const int blocks = std::min(rows, 132), threads = columns >= 512 ? 512 : 64;
  if (columns <= 2048)
    rows_kernel<true><<<blocks, threads, columns * sizeof(float), stream>>>(in, out, rows, columns);
  else
    rows_kernel<false><<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  check(cudaPeekAtLastError(), __LINE__);
  check(cudaEventRecord(end, stream), __LINE__);
  check(cudaStreamSynchronize(stream), __LINE__);
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end), __LINE__);
  printf("%d x %d took %f ms\n", rows, columns, ms);
  check(cudaEventDestroy(begin), __LINE__);
  check(cudaEventDestroy(end), __LINE__);
  check(cudaStreamDestroy(stream), __LINE__);
}
