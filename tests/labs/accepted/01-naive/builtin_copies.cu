// Copies by the compiler's own names, of lengths for which it makes moves and not calls, also where the names are no macros.
#include <tilelab/device.cuh>

struct Three {
  float x, y, z;
};

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  int k = 0;
#undef __builtin_memcpy
  for (; k + 3 <= K; k += 3) {
    Three a;
    __builtin_memcpy(&a, &A[row * K + k], sizeof a);
    float bytes[5];
    __builtin_memset(bytes, 0, sizeof bytes);
    __builtin_memcpy(bytes, &B[k * N + col], sizeof(float));
    sum += a.x * bytes[0] + a.y * B[(k + 1) * N + col] + a.z * B[(k + 2) * N + col];
  }
  for (; k < K; ++k) {
    float a;
    __builtin_memcpy(&a, A + row * K + k, sizeof a);
    sum += a * B[k * N + col];
  }
  __builtin_memcpy(&C[row * N + col], &sum, sizeof sum);
}
