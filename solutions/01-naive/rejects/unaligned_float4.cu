// verdict: misaligned line: 16
// A row of A begins at a multiple of four floats only where K is one.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    int k = 0;
    for (; k + 3 < K; k += 4) {
      const float4 a = *reinterpret_cast<const float4*>(&A[row * K + k]);
      sum += a.x * B[k * N + col] + a.y * B[(k + 1) * N + col];
      sum += a.z * B[(k + 2) * N + col] + a.w * B[(k + 3) * N + col];
    }
    for (; k < K; ++k) {
      sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = sum;
  }
}
