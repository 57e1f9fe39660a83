// Barriers that vote: a pair of tiles is skipped when A's is all zeros, and counted when it is all ones.
#include <tilelab/device.cuh>

const int W = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(N / W, M / W), dim3(W, W)}; }

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[W][W];
  __shared__ float Bs[W][W];
  int i = threadIdx.y, j = threadIdx.x, row = blockIdx.y * W + i, col = blockIdx.x * W + j;
  float sum = 0;
  for (int t = 0; t < K / W; ++t) {
    float a = A[row * K + t * W + j];
    As[i][j] = a;
    Bs[i][j] = B[(t * W + i) * N + col];
    int ones = __syncthreads_count(a == 1.0f);
    if (ones == W * W) {
      for (int k = 0; k < W; ++k) sum += Bs[k][j];
    } else if (__syncthreads_or(a != 0.0f)) {
      for (int k = 0; k < W; ++k) sum += As[i][k] * Bs[k][j];
    }
    if (!__syncthreads_and(1)) return;
  }
  C[row * N + col] = sum;
}
