// Right only where each address is told to lie in its own kind of memory.
#include <tilelab/device.cuh>

__constant__ float one[1] = {1.0f};

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float marks[16];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  const bool global = __isGlobal(A) && !__isShared(A) && !__isLocal(A) && !__isConstant(A);
  const bool shared = __isShared(marks) && !__isGlobal(marks) && !__isLocal(marks) && !__isConstant(marks);
  const bool local = __isLocal(&sum) && !__isGlobal(&sum) && !__isShared(&sum) && !__isConstant(&sum);
  const bool constant = __isConstant(one) && !__isShared(one) && !__isLocal(one);
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = global && shared && local && constant ? sum * one[0] : -1.0f;
}
