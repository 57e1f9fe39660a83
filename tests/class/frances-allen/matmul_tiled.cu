#include <tilelab/device.cuh>

template <int TILE>
__device__ void multiply(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const auto tx = threadIdx.x, ty = threadIdx.y;
  const auto row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  auto sum = 0.0f;
  for (auto start = 0u; start < static_cast<unsigned>(K); start += TILE) {
    As[ty][tx] = A[row * K + start + tx];
    Bs[ty][tx] = B[(start + ty) * N + col];
    __syncthreads();
    for (auto k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

__host__ __device__ constexpr bool large(int M, int N) { return M >= 96 && N >= 96; }

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  const unsigned tile = large(M, N) ? 32 : 8;
  return {dim3(N / tile, M / tile), dim3(tile, tile)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  if (large(M, N)) multiply<32>(A, B, C, N, K);
  else multiply<8>(A, B, C, N, K);
}
