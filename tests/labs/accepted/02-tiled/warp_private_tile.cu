// Every warp stages its own rows of A and needs nobody else: __syncwarp instead of __syncthreads.
#include <tilelab/device.cuh>

constexpr int warps = 4, rows = 2;  // rows of C for each warp

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / 32, M / (warps * rows)), dim3(32, warps)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float staged[warps][rows][32];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int row = (blockIdx.y * warps + warp) * rows, col = blockIdx.x * 32 + lane;
  float sum[rows] = {};
  for (int start = 0; start < K; start += 32) {
    for (int r = 0; r < rows; ++r) staged[warp][r][lane] = A[(row + r) * K + start + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) {
      const float b = B[(start + k) * N + col];
      for (int r = 0; r < rows; ++r) sum[r] += staged[warp][r][k] * b;
    }
    __syncwarp();
  }
  for (int r = 0; r < rows; ++r) C[(row + r) * N + col] = sum[r];
}
