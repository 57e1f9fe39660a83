// A reduction that a beginner might write: four threads for each element of C, which meet in shared memory by atomicAdd.
#include <tilelab/device.cuh>

constexpr int T = 16, PARTS = 4;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T, PARTS)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T], Cs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y, part = threadIdx.z;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  if (part == 0) Cs[ty][tx] = 0.0f;
  for (int start = 0; start < K; start += T) {
    if (part == 1) As[ty][tx] = row < M && start + tx < K ? A[row * K + start + tx] : 0.0f;
    if (part == 2) Bs[ty][tx] = start + ty < K && col < N ? B[(start + ty) * N + col] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = part; k < T; k += PARTS) sum += As[ty][k] * Bs[k][tx];
    atomicAdd(&Cs[ty][tx], sum);
    __syncthreads();
  }
  if (part == 3 && row < M && col < N) C[row * N + col] = Cs[ty][tx];
}
