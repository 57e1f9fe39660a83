// verdict: race line: 19
// Lanes of a warp no longer run in step since Volta: without __syncwarp nothing orders them.
#include <tilelab/device.cuh>

constexpr int warps = 4;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / 32, M / warps), dim3(32, warps)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float staged[warps][32];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int row = blockIdx.y * warps + warp, col = blockIdx.x * 32 + lane;
  float sum = 0.0f;
  for (int start = 0; start < K; start += 32) {
    staged[warp][lane] = A[row * K + start + lane];
    for (int k = 0; k < 32; ++k) {
      sum += staged[warp][k] * B[(start + k) * N + col];
    }
  }
  C[row * N + col] = sum;
}
