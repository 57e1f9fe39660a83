// A's tile is stored transposed, with a column of padding against bank conflicts.
#include <tilelab/device.cuh>

template <int T>
struct PaddedTile {
  float at[T][T + 1];
};

constexpr int side = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / side, M / side), dim3(side, side)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ PaddedTile<side> a, b;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;
  float sum = 0.0f;
  for (int t = 0; t < K / side; ++t) {
    a.at[tx][ty] = A[row * K + t * side + tx];
    b.at[ty][tx] = B[(t * side + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < side; ++k) sum = fmaf(a.at[k][ty], b.at[k][tx], sum);
    __syncthreads();
  }
  C[row * N + col] = sum;
}
