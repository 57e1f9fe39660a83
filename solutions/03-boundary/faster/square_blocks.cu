// Boundary-safe tiled multiplication, tuned by tile shape, unrolling and hoisted guards alone: C = A·B, any M, N, K ≥ 1.
// A is M×K, B is K×N, C is M×N: row-major, fp32. Beside the classic solution; it moves no tier.
//
// Tiles of 32×32 as in the classic kernel's way, one thread for each element of C. Inner tiles of K are loaded without comparing
// against K; rows and columns that do not exist are clamped to ones that do, so that loads need no branch at all: what they
// bring lands in elements of C that nobody stores.
#include <tilelab/device.cuh>

constexpr int tile = 32;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + tile - 1) / tile, (M + tile - 1) / tile), dim3(tile, tile)};
}

__global__ void __launch_bounds__(tile* tile) matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[tile][tile];
  __shared__ float Bs[tile][tile];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;
  const float* a = A + (row < M ? row : M - 1) * K + tx;
  const float* b = B + ty * N + (col < N ? col : N - 1);

  float sum = 0.0f;
  int start = 0;
  for (; start + tile <= K; start += tile) {
    As[ty][tx] = a[start];
    Bs[ty][tx] = b[start * N];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (start < K) {  // the last piece, shorter than a tile
    As[ty][tx] = start + tx < K ? a[start] : 0.0f;
    Bs[ty][tx] = start + ty < K ? b[start * N] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += As[ty][k] * Bs[k][tx];
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
