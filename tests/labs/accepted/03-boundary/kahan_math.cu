// Compensated summation and a spread of math functions that change nothing: fabsf, fminf, isnan, rsqrtf and friends.
#include <math.h>
#include <tilelab/device.cuh>

constexpr int T = 16;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)};
}

__device__ void add(float& sum, float& lost, float term) {
  const float y = term - lost, t = sum + y;
  lost = (t - sum) - y;
  sum = t;
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[T][T], Bs[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const float one = fminf(1.0f, fmaxf(sqrtf(1.0f), rsqrtf(1.0f))) * __expf(0.0f) * cosf(0.0f) * powf(2.0f, 0.0f);
  float sum = 0.0f, lost = 0.0f;
  for (int start = 0; start < K; start += T) {
    As[ty][tx] = row < M && start + tx < K ? A[row * K + start + tx] : 0.0f;
    Bs[ty][tx] = start + ty < K && col < N ? B[(start + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) add(sum, lost, fabsf(one) * As[ty][k] * Bs[k][tx]);
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = isnan(sum) ? 0.0f : copysignf(fabsf(sum), sum) + floorf(0.5f);
}
