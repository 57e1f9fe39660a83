// verdict: race line: 18
// One warp fills the tiles with zeros while the others already load into them.
#include <tilelab/device.cuh>
#include <cstring>
#define TW 8
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  int gx = N / TW, gy = M / TW;
  if (N % TW != 0) gx++;
  if (M % TW) gy += 1;
  return {dim3(gx, gy), dim3(TW, TW)};
}
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sA[TW * TW], sB[TW * TW];
  int t = threadIdx.x + threadIdx.y * TW;
  int row = blockIdx.y * TW + threadIdx.y, col = blockIdx.x * TW + threadIdx.x;
  float r = 0.0;
  for (int i = 0; i < K; i += TW) {
    if (t < 32) { sA[t] = 0; sA[t + 32] = 0; sB[t] = 0; sB[t + 32] = 0; }
    if (row < M && i + threadIdx.x < K) sA[t] = A[row * K + i + threadIdx.x];
    if (col < N && i + threadIdx.y < K) sB[t] = B[(i + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TW; k++) r += sA[threadIdx.y * TW + k] * sB[k * TW + threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = r;
}
