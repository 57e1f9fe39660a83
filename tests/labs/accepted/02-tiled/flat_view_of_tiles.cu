// Two-dimensional shared arrays filled through a flat pointer, rows handed to functions as pointers to arrays.
#include <tilelab/device.cuh>

constexpr int S = 32;
using Row = float[S];

__device__ void fill(Row* tile, const float* from, int stride) {
  float* flat = &tile[0][0];
  for (int i = threadIdx.x; i < S * S; i += blockDim.x) flat[i] = from[i / S * stride + i % S];
}

__device__ void accumulate(const Row* a, const Row* b, float (&sums)[4]) {
  const int x = threadIdx.x % S, y = threadIdx.x / S * 4;
  for (int k = 0; k < S; ++k) {
    float* p = sums;
    for (int i = 0; i < 4; ++i) *p++ += a[y + i][k] * b[k][x];
  }
}

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(N / S, M / S), dim3(256)}; }

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ Row a[S], b[S];
  float sums[4]{};
  for (int k = 0; k < K; k += S) {
    fill(a, A + blockIdx.y * S * K + k, K);
    fill(b, B + k * N + blockIdx.x * S, N);
    __syncthreads();
    accumulate(a, b, sums);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) C[(blockIdx.y * S + threadIdx.x / S * 4 + i) * N + blockIdx.x * S + threadIdx.x % S] = sums[i];
}
