#include <tilelab/device.cuh>

constexpr int T = 16, TEAMS = 2;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T, 1), dim3(T, T, TEAMS)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TEAMS][T][T], Bs[TEAMS][T][T], sums[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y, team = threadIdx.z;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const int steps = (K + T * TEAMS - 1) / (T * TEAMS);  // the same for both teams: all meet at the barriers
  float sum = 0.0f;
  for (int step = 0; step < steps; ++step) {
    const int start = (step * TEAMS + team) * T;
    As[team][ty][tx] = row < M && start + tx < K ? A[row * K + start + tx] : 0.0f;
    Bs[team][ty][tx] = start + ty < K && col < N ? B[(start + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[team][ty][k] * Bs[team][k][tx];
    __syncthreads();
  }
  if (team == 1) sums[ty][tx] = sum;
  __syncthreads();
  if (team == 0 && row < M && col < N) C[row * N + col] = sum + sums[ty][tx];
}
