#include <tilelab/device.cuh>

constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(N / T, M / T), dim3(T, T)}; }

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[2][T][T];
  __shared__ float Bs[2][T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const int steps = K / T;
  float sum = 0.0f;
  As[0][ty][tx] = A[row * K + tx];
  Bs[0][ty][tx] = B[ty * N + col];
  for (int step = 0; step < steps; ++step) {
    __syncthreads();  // this pair is complete, and the other one has been read to the end
    const int now = step % 2, next = 1 - now;
    if (step + 1 < steps) {
      As[next][ty][tx] = A[row * K + (step + 1) * T + tx];
      Bs[next][ty][tx] = B[((step + 1) * T + ty) * N + col];
    }
    for (int k = 0; k < T; ++k) sum += As[now][ty][k] * Bs[now][k][tx];
  }
  C[row * N + col] = sum;
}
