// Softmax of each row of a matrix: out[r][c] = exp(in[r][c]) / (the sum of exp over row r). in and out are rows×columns, row-major, fp32,
// in the memory of the GPU. rows and columns are any sizes from 1. A row's maximum is subtracted first, so that no exp is infinite.
#include <cstdio>

constexpr int threads = 128;  // a power of two

__global__ void softmax_rows(const float* in, float* out, int columns) {
  __shared__ float part[threads];
  const float* x = in + (size_t)blockIdx.x * columns;
  float* y = out + (size_t)blockIdx.x * columns;
  const int t = threadIdx.x;

  float most = -INFINITY;
  for (int c = t; c < columns; c += threads) most = fmaxf(most, x[c]);
  part[t] = most;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = t; c < columns; c += threads) sum += expf(x[c] - most);
  part[t] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  for (int c = t; c < columns; c += threads) y[c] = expf(x[c] - most) / part[0];
}

void softmax(const float* in, float* out, int rows, int columns) {
  softmax_rows<<<rows, threads>>>(in, out, columns);
  if (const cudaError_t error = cudaGetLastError()) std::printf("%s\n", cudaGetErrorString(error));
}
