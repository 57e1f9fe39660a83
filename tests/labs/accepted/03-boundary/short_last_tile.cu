// Nothing is filled with zeros: the inner loop stops where K ends, and only threads with an element of C add.
#include <tilelab/device.cuh>

const int S = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + S - 1) / S, (M + S - 1) / S), dim3(S, S)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[S][S];
  __shared__ float b[S][S];
  const int x = threadIdx.x, y = threadIdx.y;
  const int i = blockIdx.y * S + y, j = blockIdx.x * S + x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += S) {
    const int depth = K - k0 < S ? K - k0 : S;
    if (i < M && x < depth) a[y][x] = A[i * K + k0 + x];
    if (j < N && y < depth) b[y][x] = B[(k0 + y) * N + j];
    __syncthreads();
    if (i < M && j < N) {
      for (int k = 0; k < depth; ++k) sum += a[y][k] * b[k][x];
    }
    __syncthreads();
  }
  if (i < M && j < N) C[i * N + j] = sum;
}
