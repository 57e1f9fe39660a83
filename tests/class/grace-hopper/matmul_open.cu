// G. Hopper
#include <tilelab/device.cuh>

__host__ __device__ inline bool skinny(int M, int N) { return M * N < 256; }

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  if (skinny(M, N)) return {dim3(M * N), dim3(64)};
  return {dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__device__ void by_reduction(const float* A, const float* B, float* C, int N, int K) {
  __shared__ volatile float part[64];
  const int row = blockIdx.x / N, col = blockIdx.x % N;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += blockDim.x) sum += A[row * K + k] * B[k * N + col];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) C[blockIdx.x] = part[0];
}

template <int T>
__device__ void by_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float sum = 0.0f;
  for (int start = 0; start < K; start += T) {
    As[ty][tx] = row < M && start + tx < K ? A[row * K + start + tx] : 0.0f;
    Bs[ty][tx] = start + ty < K && col < N ? B[(start + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  if (skinny(M, N)) {
    by_reduction(A, B, C, N, K);
  } else {
    by_tiles<16>(A, B, C, M, N, K);
  }
}
