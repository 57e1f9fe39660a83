// Warp votes, ballots and bit counts around a dot product: zeros of A are skipped where a whole warp agrees.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  LaunchConfig launch = {};
  launch.block = {32, 2, 1};
  launch.grid = {unsigned(N + 31) / 32, unsigned(M + 1) / 2, 1};
  return launch;
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int lane = threadIdx.x & (warpSize - 1);
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned inside = __ballot_sync(0xffffffff, row < M && col < N);
  if (!(inside >> lane & 1)) return;
  const int members = __popc(inside), leader = __ffs(inside) - 1;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    float a = lane == leader ? A[row * K + k] : 0.0f;
    a = __shfl_sync(inside, a, leader);
    if (__all_sync(inside, a == 0.0f)) continue;
    if (__any_sync(inside, members > 0)) sum = __fmaf_rn(a, __ldg(&B[k * N + col]), sum);
  }
  __stcs(&C[row * N + col], sum);
}
