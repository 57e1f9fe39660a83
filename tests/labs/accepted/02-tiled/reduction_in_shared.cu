// Eight threads for each element of C add up in shared memory with a tree; atomicAdd on an integer counts the steps.
#include <tilelab/device.cuh>

constexpr int P = 8, T = 8;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return {dim3(N / T, M / T), dim3(T, T, P)};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[P][T][T], Bs[P][T][T];
  __shared__ float parts[P][T][T];
  __shared__ int steps;
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  if (x == 0 && y == 0 && z == 0) steps = 0;
  parts[z][y][x] = 0.0f;
  for (int start = 0; start < K; start += P * T) {
    const int k0 = start + z * T;
    As[z][y][x] = k0 < K ? A[row * K + k0 + x] : 0.0f;  // K may end before this team's slice
    Bs[z][y][x] = k0 < K ? B[(k0 + y) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) parts[z][y][x] += As[z][y][k] * Bs[z][k][x];
    if (x == 0 && y == 0) atomicAdd(&steps, 1);
    __syncthreads();
  }
  for (int half = P / 2; half > 0; half /= 2) {
    if (z < half) parts[z][y][x] += parts[z + half][y][x];
    __syncthreads();
  }
  if (z == 0 && steps > 0) C[row * N + col] = parts[0][y][x];
}
