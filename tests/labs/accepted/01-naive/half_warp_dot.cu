// Sixteen lanes for each element, with the width argument of the shuffles and a butterfly.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((M * N + 7) / 8), dim3(128)};  // eight elements of C for a block
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int group = threadIdx.x / 16, lane = threadIdx.x % 16;
  const int element = blockIdx.x * 8 + group;
  const bool mine = element < M * N;
  const int row = mine ? element / N : 0, col = mine ? element % N : 0;
  float sum = 0.0f;
  for (int k = lane; k < K; k += 16) sum += A[row * K + k] * B[k * N + col];
  for (int mask = 8; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask, 16);
  if (mine && lane == 0) C[element] = sum;
}
