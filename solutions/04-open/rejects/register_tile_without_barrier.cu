// verdict: race line: 30
// The next slices are loaded while slower threads still compute.
#include <tilelab/device.cuh>

constexpr int BM = 32, BN = 32, BK = 8, side = 8, micro = 4;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + BN - 1) / BN, (M + BM - 1) / BM), dim3(side, side)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int t = threadIdx.y * side + threadIdx.x;
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  float c[micro][micro] = {};
  for (int start = 0; start < K; start += BK) {
    for (int i = t; i < BM * BK; i += side * side) {
      const int r = top + i / BK, k = start + i % BK;
      As[i % BK][i / BK] = r < M && k < K ? A[r * K + k] : 0.0f;
    }
    for (int i = t; i < BK * BN; i += side * side) {
      const int k = start + i / BN, j = left + i % BN;
      Bs[i / BN][i % BN] = k < K && j < N ? B[k * N + j] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < micro; ++i) {
        for (int j = 0; j < micro; ++j) {
          c[i][j] += As[k][threadIdx.y * micro + i] * Bs[k][threadIdx.x * micro + j];
        }
      }
    }
  }
  for (int i = 0; i < micro; ++i) {
    for (int j = 0; j < micro; ++j) {
      const int row = top + threadIdx.y * micro + i, col = left + threadIdx.x * micro + j;
      if (row < M && col < N) C[row * N + col] = c[i][j];
    }
  }
}
