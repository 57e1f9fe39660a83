// A row after the other. Its maximum and its sum come to the host, which hands them to the next kernel as they are.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                \
  do {                                                             \
    if (const cudaError_t error = (call); error != cudaSuccess) {  \
      std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorName(error)); \
      std::exit(1);                                                \
    }                                                              \
  } while (0)

constexpr int threads = 128;

template <bool adds>
__global__ void reduce(const float* x, int n, float most, float* result) {
  __shared__ float parts[threads];
  float mine = adds ? 0.0f : -INFINITY;
  for (int i = threadIdx.x; i < n; i += threads) mine = adds ? mine + expf(x[i] - most) : fmaxf(mine, x[i]);
  parts[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      parts[threadIdx.x] = adds ? parts[threadIdx.x] + parts[threadIdx.x + half] : fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) *result = parts[0];
}

__global__ void divide(const float* x, float* y, int n, float most, float sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i] - most) / sum;
}

void softmax(const float* in, float* out, int rows, int columns) {
  float* result;
  CHECK(cudaMalloc(&result, sizeof(float)));
  for (int r = 0; r < rows; ++r) {
    const float* x = in + static_cast<long>(r) * columns;
    float most, sum;
    reduce<false><<<1, threads>>>(x, columns, 0, result);
    CHECK(cudaMemcpy(&most, result, sizeof(float), cudaMemcpyDeviceToHost));
    reduce<true><<<1, threads>>>(x, columns, most, result);
    CHECK(cudaMemcpy(&sum, result, sizeof(float), cudaMemcpyDeviceToHost));
    divide<<<(columns + 255) / 256, 256>>>(x, out + static_cast<long>(r) * columns, columns, most, sum);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaFree(result));
}
