// verdict: out-of-bounds line: 13
// The place of an element of B is kept in 16 bits: it is negative where B has more than 32,767 elements.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  short row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float s = 0;
  for (short k = 0; k < K; k++) {
    short at = k * N + col;
    s += A[row * K + k] * B[at];
  }
  C[row * N + col] = s;
}
