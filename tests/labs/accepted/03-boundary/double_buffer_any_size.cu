// Prefetch into registers, two buffers, one barrier a step, pointers that swap.
#include <tilelab/device.cuh>

#define T 16

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)};
}

__device__ float at(const float* matrix, int rows, int columns, int i, int j) {
  return i < rows && j < columns ? matrix[i * columns + j] : 0.0f;
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float tiles[2][2][T][T];
  float (*reading)[T][T] = tiles[0];
  float (*writing)[T][T] = tiles[1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  float next_a = at(A, M, K, row, tx), next_b = at(B, K, N, ty, col);
  for (int start = 0; start < K; start += T) {
    writing[0][ty][tx] = next_a;
    writing[1][ty][tx] = next_b;
    __syncthreads();
    float (*swap)[T][T] = reading;
    reading = writing;
    writing = swap;
    next_a = at(A, M, K, row, start + T + tx);
    next_b = at(B, K, N, start + T + ty, col);
    for (int k = 0; k < T; ++k) sum += reading[0][ty][k] * reading[1][k][tx];
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
