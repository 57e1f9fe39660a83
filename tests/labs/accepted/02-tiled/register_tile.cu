// 64 threads, a 32×32 piece of C, a 4×4 piece in the registers of each.
#include <tilelab/device.cuh>

namespace cfg {
constexpr int BLOCK = 32;  // rows and columns of C a block computes
constexpr int DEPTH = 8;
constexpr int MICRO = 4;
constexpr int SIDE = BLOCK / MICRO;
}  // namespace cfg

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / cfg::BLOCK, M / cfg::BLOCK), dim3(cfg::SIDE, cfg::SIDE)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  using namespace cfg;
  __shared__ float As[DEPTH][BLOCK];  // transposed
  __shared__ float Bs[DEPTH][BLOCK];
  const int lane = threadIdx.y * SIDE + threadIdx.x;
  float c[MICRO][MICRO] = {{0}};
  for (int k0 = 0; k0 < K; k0 += DEPTH) {
#pragma unroll
    for (int i = lane; i < BLOCK * DEPTH; i += SIDE * SIDE) {
      As[i % DEPTH][i / DEPTH] = A[(blockIdx.y * BLOCK + i / DEPTH) * K + k0 + i % DEPTH];
      Bs[i / BLOCK][i % BLOCK] = B[(k0 + i / BLOCK) * N + blockIdx.x * BLOCK + i % BLOCK];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
      float a[MICRO], b[MICRO];
#pragma unroll
      for (int i = 0; i < MICRO; ++i) {
        a[i] = As[k][threadIdx.y * MICRO + i];
        b[i] = Bs[k][threadIdx.x * MICRO + i];
      }
#pragma unroll
      for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j) c[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < MICRO; ++i)
    for (int j = 0; j < MICRO; ++j)
      C[(blockIdx.y * BLOCK + threadIdx.y * MICRO + i) * N + blockIdx.x * BLOCK + threadIdx.x * MICRO + j] = c[i][j];
}
