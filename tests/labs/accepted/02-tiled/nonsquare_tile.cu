// 32×16 pieces of C, slices of K eight deep; 128 threads in a row load and compute by linear index.
#include <tilelab/device.cuh>

constexpr int BM = 32, BN = 16, BK = 8, threads = 128;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(M / BM, N / BN), dim3(threads)};  // x walks down C, y across
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const int top = blockIdx.x * BM, left = blockIdx.y * BN, t = threadIdx.x;
  float sum[BM * BN / threads] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK; i += threads) As[i / BK][i % BK] = A[(top + i / BK) * K + k0 + i % BK];
    for (int i = t; i < BK * BN; i += threads) Bs[i / BN][i % BN] = B[(k0 + i / BN) * N + left + i % BN];
    __syncthreads();
    for (int e = 0; e < BM * BN / threads; ++e) {
      const int i = t + e * threads;
      for (int k = 0; k < BK; ++k) sum[e] += As[i / BN][k] * Bs[k][i % BN];
    }
    __syncthreads();
  }
  for (int e = 0; e < BM * BN / threads; ++e) {
    const int i = t + e * threads;
    C[(top + i / BN) * N + left + i % BN] = sum[e];
  }
}
