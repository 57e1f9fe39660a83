#include <tilelab/device.cuh>

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return {dim3((N + BN - 1) / BN, (M + BM - 1) / BM), dim3(BM * BN / (TM * TN))};
}

__global__ __launch_bounds__(BM * BN / (TM * TN)) void matmul_open(const float* A, const float* B, float* C, int M, int N,
                                                                   int K) {
  __shared__ float As[BK][BM + 4], Bs[BK][BN];
  const int t = threadIdx.x, tx = t % (BN / TN), ty = t / (BN / TN);
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
#pragma unroll
    for (int i = t; i < BM * BK; i += BM * BN / (TM * TN)) {
      const int r = i / BK, k = i % BK;
      As[k][r] = top + r < M && k0 + k < K ? A[(top + r) * K + k0 + k] : 0.0f;
    }
#pragma unroll
    for (int i = t; i < BK * BN; i += BM * BN / (TM * TN)) {
      const int k = i / BN, c = i % BN;
      Bs[k][c] = k0 + k < K && left + c < N ? B[(k0 + k) * N + left + c] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][ty + i * (BM / TM)];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][tx + j * (BN / TN)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      const int row = top + ty + i * (BM / TM), col = left + tx + j * (BN / TN);
      if (row < M && col < N) C[row * N + col] = acc[i][j];
    }
}
