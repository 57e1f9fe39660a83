#include <tilelab/device.cuh>

constexpr int tile = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, tile)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[tile][tile];
  __shared__ float Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int zeile = blockIdx.y * tile + ty;
  const int spalte = blockIdx.x * tile + tx;
  float summe = 0.0f;
  for (int start = 0; start < K; start += tile) {
    As[ty][tx] = zeile < M && start + tx < K ? A[zeile * K + start + tx] : 0.0f;
    Bs[ty][tx] = start + ty < K && spalte < N ? B[(start + ty) * N + spalte] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      summe += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  if (zeile < M && spalte < N) C[zeile * N + spalte] = summe;
}
