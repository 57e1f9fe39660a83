// Every warp has an 8×32 piece of C; A comes through shuffles, B through a tile shared by the four warps of a block.
#include <tilelab/device.cuh>

constexpr int WARPS = 4, ROWS = 8, DEPTH = 32;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return {dim3((N + 31) / 32, (M + WARPS * ROWS - 1) / (WARPS * ROWS)), dim3(32 * WARPS)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float slab[DEPTH][32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  const int top = (blockIdx.y * WARPS + warp) * ROWS, col = blockIdx.x * 32 + lane;
  float sum[ROWS] = {};
  for (int start = 0; start < K; start += DEPTH) {
    for (int k = warp; k < DEPTH; k += WARPS) slab[k][lane] = start + k < K && col < N ? B[(start + k) * N + col] : 0.0f;
    float mine[ROWS];
    for (int r = 0; r < ROWS; ++r) mine[r] = top + r < M && start + lane < K ? A[(top + r) * K + start + lane] : 0.0f;
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k)
      for (int r = 0; r < ROWS; ++r) sum[r] += __shfl_sync(0xffffffffu, mine[r], k) * slab[k][lane];
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r)
    if (top + r < M && col < N) C[(top + r) * N + col] = sum[r];
}
