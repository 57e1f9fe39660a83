// Barrier-free code after the last barrier; a loop with break and continue; macros; comma expressions; a tile with unequal sides.
#include <tilelab/device.cuh>
#define TM 8
#define TN 32
#define TK 16
#define LIMIT(i, n) ((i) < (n) ? (i) : (n) - 1)

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  dim3 g, b(TN, TM);
  g.x = (N - 1) / TN + 1, g.y = (M - 1) / TM + 1;
  return {g, b};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TM][TK], b[TK][TN];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TM + ty, col = blockIdx.x * TN + tx;
  float sum = 0.f;
  int k0 = 0;
  for (;;) {
    if (k0 >= K) break;
    if (tx < TK) {
      // A clamped load, masked afterwards.
      const float v = A[(size_t)LIMIT(row, M) * K + LIMIT(k0 + tx, K)];
      a[ty][tx] = (row < M & k0 + tx < K) ? v : 0.f;
    }
    for (int i = ty; i < TK; i += TM) b[i][tx] = k0 + i < K && col < N ? B[(size_t)(k0 + i) * N + col] : 0.f;
    __syncthreads();
    int k = -1;
    while (++k < TK) {
      if (a[ty][k] == 0.f) continue;
      sum += a[ty][k] * b[k][tx];
    }
    __syncthreads();
    k0 += TK;
  }
  if (row >= M) return;
  if (col >= N) return;
  float* const out = &C[(size_t)row * N];
  out[col] = sum;
}
