// 128-bit loads and stores: 64 threads bring 16×16 tiles, four floats each, and compute four columns each.
#include <tilelab/device.cuh>

constexpr int TILE = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / TILE, M / TILE), dim3(TILE / 4, TILE)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[TILE][TILE];
  __shared__ float4 Bs[TILE][TILE / 4];
  const int quad = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + 4 * quad;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int start = 0; start < K; start += TILE) {
    reinterpret_cast<float4*>(&As[ty][0])[quad] = *reinterpret_cast<const float4*>(&A[row * K + start + 4 * quad]);
    Bs[ty][quad] = *(const float4*)(B + (start + ty) * N + col);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      const float a = As[ty][k];
      const float4 b = Bs[k][quad];
      sum.x += a * b.x;
      sum.y += a * b.y;
      sum.z += a * b.z;
      sum.w += a * b.w;
    }
    __syncthreads();
  }
  *reinterpret_cast<float4*>(C + row * N + col) = sum;
}
