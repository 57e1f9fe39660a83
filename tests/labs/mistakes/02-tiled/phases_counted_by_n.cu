// mistake: verdict=wrong-answer; line=10; says=""; searched
// The number of phases comes from N instead of K: right for square matrices.
#include <tilelab/device.cuh>
constexpr int W = 16;
__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return LaunchConfig{dim3(N / W, M / W), dim3(W, W)}; }
__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[W][W], b[W][W];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * W + ty, col = blockIdx.x * W + tx;
  float sum = 0;
  for (int ph = 0; ph < N / W; ++ph) {
    a[ty][tx] = A[row * K + ph * W + tx];
    b[ty][tx] = B[(ph * W + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < W; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
