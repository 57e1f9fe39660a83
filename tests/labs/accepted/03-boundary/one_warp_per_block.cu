// Blocks of one warp: barriers cost nothing, __syncwarp would do; rows of a tile by lane.
#include <tilelab/device.cuh>

constexpr int R = 8;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + 31) / 32, (M + R - 1) / R), dim3(32)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float rows[R][32];
  const int lane = threadIdx.x, top = blockIdx.y * R, col = blockIdx.x * 32 + lane;
  float sum[R];
#pragma unroll
  for (float& s : sum) s = 0.0f;
  for (int start = 0; start < K; start += 32) {
    const int k = start + lane;
    for (int r = 0; r < R; ++r) rows[r][lane] = top + r < M && k < K ? A[(top + r) * K + k] : 0.0f;
    __syncwarp();
    const int depth = min(32, K - start);
    for (int i = 0; i < depth; ++i) {
      const float b = col < N ? B[(start + i) * N + col] : 0.0f;
      for (int r = 0; r < R; ++r) sum[r] += rows[r][i] * b;
    }
    __syncwarp(0xffffffff);
  }
  if (col < N)
    for (int r = 0; r < R && top + r < M; ++r) C[(top + r) * N + col] = sum[r];
}
