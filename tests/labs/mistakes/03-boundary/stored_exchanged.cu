// mistake: verdict=wrong-answer|out-of-bounds; line=27; says=""; searched
#include <tilelab/device.cuh>

constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  dim3 block(T, T);
  dim3 grid((N + T - 1) / T, (M + T - 1) / T);
  return {grid, block};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sA[T][T];
  __shared__ float sB[T][T];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int i = blockIdx.y * T + y;
  const int j = blockIdx.x * T + x;
  float acc = 0.0f;
  for (int t = 0; t < (K + T - 1) / T; t++) {
    sA[y][x] = i < M && t * T + x < K ? A[i * K + t * T + x] : 0.0f;
    sB[y][x] = t * T + y < K && j < N ? B[(t * T + y) * N + j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; k++) acc += sA[y][k] * sB[k][x];
    __syncthreads();
  }
  if (i < M && j < N) C[j * N + i] = acc;
}
