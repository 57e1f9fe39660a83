#include <tilelab/device.cuh>

constexpr int TILE = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE / 4, TILE)};
}

__device__ float4 quad(const float* matrix, int rows, int columns, int i, int j) {
  if (i < rows && j + 3 < columns && columns % 4 == 0) return *reinterpret_cast<const float4*>(matrix + i * columns + j);
  float4 value = {0.0f, 0.0f, 0.0f, 0.0f};
  if (i < rows) {
    if (j < columns) value.x = matrix[i * columns + j];
    if (j + 1 < columns) value.y = matrix[i * columns + j + 1];
    if (j + 2 < columns) value.z = matrix[i * columns + j + 2];
    if (j + 3 < columns) value.w = matrix[i * columns + j + 3];
  }
  return value;
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float4 As[TILE][TILE / 4], Bs[TILE][TILE / 4];
  const int q = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + 4 * q;
  float sum[4] = {};
  for (int start = 0; start < K; start += TILE) {
    As[ty][q] = quad(A, M, K, row, start + 4 * q);
    Bs[ty][q] = quad(B, K, N, start + ty, col);
    __syncthreads();
    for (int k = 0; k < TILE; k += 4) {
      const float4 a = As[ty][k / 4];
      const float4 b0 = Bs[k][q], b1 = Bs[k + 1][q], b2 = Bs[k + 2][q], b3 = Bs[k + 3][q];
      sum[0] += a.x * b0.x + a.y * b1.x + a.z * b2.x + a.w * b3.x;
      sum[1] += a.x * b0.y + a.y * b1.y + a.z * b2.y + a.w * b3.y;
      sum[2] += a.x * b0.z + a.y * b1.z + a.z * b2.z + a.w * b3.z;
      sum[3] += a.x * b0.w + a.y * b1.w + a.z * b2.w + a.w * b3.w;
    }
    __syncthreads();
  }
  if (row >= M) return;
  for (int j = 0; j < 4; ++j)
    if (col + j < N) C[row * N + col + j] = sum[j];
}
