// verdict: wrong-answer
// explains: part-unwritten
// A row may be longer than a block has threads: out keeps elements that nobody wrote.
#include <cstdio>

constexpr int threads = 256;

__global__ void softmax_rows(const float* in, float* out, int columns) {
  __shared__ float parts[threads];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;
  const int t = threadIdx.x;

  float most = -INFINITY;
  for (int c = t; c < columns; c += threads) most = fmaxf(most, x[c]);
  parts[t] = most;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) parts[t] = fmaxf(parts[t], parts[t + half]);
    __syncthreads();
  }
  most = parts[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = t; c < columns; c += threads) sum += expf(x[c] - most);
  parts[t] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) parts[t] += parts[t + half];
    __syncthreads();
  }
  sum = parts[0];

  if (const int c = t; c < columns) y[c] = expf(x[c] - most) / sum;
}

void softmax(const float* in, float* out, int rows, int columns) {
  softmax_rows<<<rows, threads>>>(in, out, columns);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("softmax: %s\n", cudaGetErrorString(error));
}
