// verdict: race line: 12
// Each warp orders itself with __syncwarp(), but all warps write the same tile of A.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3((N + 7) / 8, (M + 15) / 16), dim3(128)}; }
__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[4][4][8], b[4][8][8];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  int r = lane >> 3, c = lane & 7;
  int row = blockIdx.y * 16 + warp * 4 + r, col = blockIdx.x * 8 + c;
  float acc = 0.f;
  for (int k0 = 0; k0 < K; k0 += 8) {
    a[0][r][c] = row < M && k0 + c < K ? A[row * K + k0 + c] : 0.f;
    b[warp][r][c] = k0 + r < K && col < N ? B[(k0 + r) * N + col] : 0.f;
    b[warp][r + 4][c] = k0 + r + 4 < K && col < N ? B[(k0 + r + 4) * N + col] : 0.f;
    __syncwarp();
    for (int k = 0; k < 8; k++) acc += a[0][r][k] * b[warp][k][c];
    __syncwarp();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
