#include <tilelab/device.cuh>

constexpr int kWarps = 4;

__device__ __forceinline__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((N + kWarps - 1) / kWarps, M), dim3(32, kWarps)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * kWarps + threadIdx.y;
  if (col >= N) return;  // whole warps leave
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += warpSize) sum += A[row * K + k] * B[k * N + col];
  sum = warp_sum(sum);
  if (threadIdx.x == 0) C[row * N + col] = sum;
}
