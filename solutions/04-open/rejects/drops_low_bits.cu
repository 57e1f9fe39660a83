// verdict: wrong-answer
// explains: low-precision
// Inputs cut to bfloat16: exact for small whole numbers, far off for others.
#include <tilelab/device.cuh>

constexpr int BM = 32, BN = 32, BK = 8, side = 8, micro = 4;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + BN - 1) / BN, (M + BM - 1) / BM), dim3(side, side)};
}

__device__ float short_float(float x) { return __int_as_float(__float_as_int(x) & 0xffff0000); }

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
          c[i][j] += short_float(As[k][threadIdx.y * micro + i]) * short_float(Bs[k][threadIdx.x * micro + j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < micro; ++i) {
    for (int j = 0; j < micro; ++j) {
      const int row = top + threadIdx.y * micro + i, col = left + threadIdx.x * micro + j;
      if (row < M && col < N) C[row * N + col] = c[i][j];
    }
  }
}
