// verdict: rejected
#include <cuda_runtime.h>

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < K) {
    float sum = 0.0f;
    for (int i = 0; i < N; i++) sum += A[row * N + i] * B[i * K + col];
    C[row * K + col] = sum;
  }
}

// A, B and C lie in the GPU's memory.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float *a = new float[M * N], *b = new float[N * K], *c = new float[M * K];
  cudaMemcpy(a, A, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(b, B, N * K * sizeof(float), cudaMemcpyDeviceToHost);
  for (int row = 0; row < M; row++)
    for (int col = 0; col < K; col++) {
      c[row * K + col] = 0;
      for (int i = 0; i < N; i++) c[row * K + col] += a[row * N + i] * b[i * K + col];
    }
  cudaMemcpy(C, c, M * K * sizeof(float), cudaMemcpyHostToDevice);
}
