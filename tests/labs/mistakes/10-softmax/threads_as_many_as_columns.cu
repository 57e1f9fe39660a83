// mistake: verdict=launch-error; line=33; says="A block of 12800 has 12,800 threads, and 1024 is the most."
#include <cstdio>

constexpr int threads = 256;

__global__ void softmax_rows(const float* in, float* out, int columns) {
  __shared__ float part[threads];
  const float* x = in + blockIdx.x * columns;
  float* y = out + blockIdx.x * columns;
  int t = threadIdx.x;
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
  softmax_rows<<<rows, columns * threads>>>(in, out, columns);
}
