// The maximum and the sum in one pass: a sum is scaled whenever a larger maximum is found. Pairs are combined in a tree.
#include <cmath>

struct MaxAndSum {
  float m, d;
};

__device__ MaxAndSum merge(MaxAndSum a, MaxAndSum b) {
  if (a.m < b.m) {
    MaxAndSum t = a;
    a = b;
    b = t;
  }
  if (b.d > 0) a.d += b.d * expf(b.m - a.m);
  return a;
}

template <int kThreads>
__global__ void online_softmax(const float* x, float* y, int V) {
  __shared__ MaxAndSum partial[kThreads];
  x += (long long)blockIdx.x * V;
  y += (long long)blockIdx.x * V;
  MaxAndSum mine = {-INFINITY, 0.0f};
  for (int i = threadIdx.x; i < V; i += kThreads) mine = merge(mine, MaxAndSum{x[i], 1.0f});
  partial[threadIdx.x] = mine;
  for (int half = kThreads / 2; half >= 1; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] = merge(partial[threadIdx.x], partial[threadIdx.x + half]);
  }
  __syncthreads();
  const MaxAndSum all = partial[0];
  for (int i = threadIdx.x; i < V; i += kThreads) y[i] = expf(x[i] - all.m) / all.d;
}

int softmax(const float* in, float* out, int rows, int columns) {
  if (columns <= 64)
    online_softmax<64><<<rows, 64>>>(in, out, columns);
  else
    online_softmax<256><<<rows, 256>>>(in, out, columns);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
