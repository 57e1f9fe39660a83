// verdict: out-of-bounds
// The maxima are freed when the second kernel still reads them.
#include <cstdio>

__global__ void find_maxima(const float* in, float* maxima, int columns) {
  __shared__ float parts[128];
  float most = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 128) most = fmaxf(most, in[blockIdx.x * columns + c]);
  parts[threadIdx.x] = most;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) maxima[blockIdx.x] = parts[0];
}

__global__ void add_up(const float* in, const float* maxima, float* sums, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += 128) sum += expf(in[blockIdx.x * columns + c] - maxima[blockIdx.x]);
  atomicAdd(&sums[blockIdx.x], sum);
}

__global__ void divide(const float* in, float* out, const float* maxima, const float* sums, int columns) {
  for (int c = threadIdx.x; c < columns; c += 128)
    out[blockIdx.x * columns + c] = expf(in[blockIdx.x * columns + c] - maxima[blockIdx.x]) / sums[blockIdx.x];
}

void softmax(const float* in, float* out, int rows, int columns) {
  float *maxima = nullptr, *sums = nullptr;
  if (cudaMalloc(&maxima, rows * sizeof(float)) != cudaSuccess) return;
  if (cudaMalloc(&sums, rows * sizeof(float)) != cudaSuccess) return;
  if (cudaMemset(sums, 0, rows * sizeof(float)) != cudaSuccess) return;
  find_maxima<<<rows, 128>>>(in, maxima, columns);
  cudaFree(maxima);
  add_up<<<rows, 128>>>(in, maxima, sums, columns);
  divide<<<rows, 128>>>(in, out, maxima, sums, columns);
  if (cudaGetLastError() != cudaSuccess) std::puts("softmax: a launch failed");
  cudaFree(sums);
}
