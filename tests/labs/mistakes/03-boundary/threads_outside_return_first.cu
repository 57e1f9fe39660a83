// mistake: verdict=uninitialized-read; line=17; says="had returned in line 17 when the others reached the barrier in line 29"
#include <tilelab/device.cuh>
constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  unsigned gx = (N - 1) / T + 1, gy = (M - 1) / T + 1;
  return LaunchConfig{dim3(gx, gy, 1), dim3(T, T, 1)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float left[T][T];
  __shared__ float right[T][T];
  int i = threadIdx.y;
  int j = threadIdx.x;
  int myRow = T * blockIdx.y + i;
  int myCol = T * blockIdx.x + j;
  if (myRow >= M || myCol >= N) return;
  float value = 0.0f;
  int phases = (K + T - 1) / T;
  for (int ph = 0; ph < phases; ++ph) {
    if (myRow < M && ph * T + j < K)
      left[i][j] = A[myRow * K + ph * T + j];
    else
      left[i][j] = 0.0f;
    if (ph * T + i < K && myCol < N)
      right[i][j] = B[(ph * T + i) * N + myCol];
    else
      right[i][j] = 0.0f;
    __syncthreads();
    for (int q = 0; q < T; ++q) value += left[i][q] * right[q][j];
    __syncthreads();
  }
  if (myRow < M && myCol < N) C[myRow * N + myCol] = value;
}
