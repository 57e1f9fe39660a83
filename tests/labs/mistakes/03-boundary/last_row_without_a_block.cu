// mistake: verdict=wrong-answer; line=5; says="the elements outside have no thread"
// Wrong in one row alone: the last row of C where M is one more than a multiple of the tile.
#include <tilelab/device.cuh>
constexpr int W = 16;
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return LaunchConfig{dim3((N + W - 1) / W, (M + W - 2) / W + (M == 1)), dim3(W, W)}; }
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[W][W], b[W][W];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * W + ty, col = blockIdx.x * W + tx;
  float sum = 0;
  for (int ph = 0; ph < (K + W - 1) / W; ++ph) {
    a[ty][tx] = row < M && ph * W + tx < K ? A[row * K + ph * W + tx] : 0;
    b[ty][tx] = ph * W + ty < K && col < N ? B[(ph * W + ty) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < W; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
