// mistake: verdict=input-modified; line=19; says="scale is constant memory, which a kernel can only read"
#include <tilelab/device.cuh>
const int W = 32;
__constant__ float scale[4];

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  dim3 b(W, W);
  dim3 g;
  g.x = N / W;
  g.y = M / W;
  return {g, b};
}

__global__ void matmul_tiled(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float sa[W][W];
  __shared__ float sb[W][W];
  int r = blockIdx.y * W + threadIdx.y, c = blockIdx.x * W + threadIdx.x;
  float res = 0.f;
  scale[0] = 1.f;
  for (int p = 0; p < K / W; p++) {
    sa[threadIdx.y][threadIdx.x] = A[r * K + p * W + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = B[(p * W + threadIdx.y) * N + c];
    __syncthreads();
    for (int j = 0; j < W; j++)
      res += sa[threadIdx.y][j] * sb[j][threadIdx.x];
    __syncthreads();
  }
  C[r * N + c] = res;
}
