// One word of constant memory for all lanes, and one for each column of the block. They are no global memory.
#include <tilelab/device.cuh>
__constant__ float scale = 2.0f;
__constant__ float weights[16] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};
__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) { return {dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)}; }
__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = scale * weights[threadIdx.x] * sum;
  }
}
