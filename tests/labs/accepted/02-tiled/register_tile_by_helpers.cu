// A piece of C in the registers of each thread, reached in every way that leaves it there once nvcc has unrolled the loops.
#include <tilelab/device.cuh>

constexpr int tile = 32, rows = 8;

struct Column {
  float values[tile / rows];
  __device__ float& operator[](int i) { return values[i]; }
};

template <int N>
__device__ void add_products(float (&sums)[N], Column& a, float b) {
  for (int i = 0; i != N; ++i) sums[i] += a[i] * b;
}

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(N / tile, M / tile), dim3(tile, rows)}; }

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile], Bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * tile, top = blockIdx.y * tile;
  float sums[2][tile / rows];
  for (auto& half : sums)
    for (float& sum : half) sum = 0.0f;
  const auto row = [&](int i) { return y + i * rows; };
  for (int k0 = 0; k0 < K; k0 += tile) {
    for (int i = 0; i < tile / rows; ++i) {
      As[row(i)][x] = A[(top + row(i)) * K + k0 + x];
      Bs[row(i)][x] = B[(k0 + row(i)) * N + left + x];
    }
    __syncthreads();
    for (int k = 0; k < tile; k++) {
      Column a;
      for (int i = tile / rows - 1; i >= 0; --i) a[i] = As[row(i)][k];
      add_products(sums[k % 2], a, Bs[k][x]);
    }
    __syncthreads();
  }
  int i = 0;
  while (i < tile / rows && top + row(i) < M) {
    C[(top + row(i)) * N + left + x] = sums[0][i] + sums[1][i];
    i++;
  }
}
