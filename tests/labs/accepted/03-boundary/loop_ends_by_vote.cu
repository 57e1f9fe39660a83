// A tile that is no multiple of the block, and a loop that ends by __syncthreads_and.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return {dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)}; }
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int TK = 24;
  __shared__ float a[8][TK];
  __shared__ float b[TK][32];
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float acc = 0;
  int k0 = 0;
  do {
    if (threadIdx.x < TK) a[threadIdx.y][threadIdx.x] = (row < M && k0 + threadIdx.x < K) ? A[row * K + k0 + threadIdx.x] : 0;
    for (int r = threadIdx.y; r < TK; r += 8) b[r][threadIdx.x] = (k0 + r < K && col < N) ? B[(k0 + r) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < TK; ++k) acc += a[threadIdx.y][k] * b[k][threadIdx.x];
    k0 += TK;
  } while (__syncthreads_and(k0 < K));
  if (row < M && col < N) C[row * N + col] = acc;
}
