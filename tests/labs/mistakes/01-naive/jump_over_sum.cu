// mistake: verdict=wrong-answer; line=17; says="`sum`, declared in line 15, has no value when it is first added to in line 17"
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const dim3 block(16, 16);
  return LaunchConfig{dim3((N + block.x - 1) / block.x, (M + block.y - 1) / block.y), block};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  if (K > 0) goto skip;
  {
    float sum;
  skip:
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}
