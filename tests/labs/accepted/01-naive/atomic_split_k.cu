// K is split over threadIdx.z; the parts meet in C through atomicAdd, after one of them has cleared it.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8, 4)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int col = blockIdx.x * 8 + threadIdx.x;
  const bool mine = row < M && col < N;
  if (mine && threadIdx.z == 0) C[row * N + col] = 0.0f;
  __syncthreads();
  if (!mine) return;
  float part = 0.0f;
  for (int k = threadIdx.z; k < K; k += blockDim.z) part += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], part);
}
