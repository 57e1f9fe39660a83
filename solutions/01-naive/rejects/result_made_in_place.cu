// verdict: needs-gpu line: 21
// What a function returns is made right in C, one past its end: no callback announces that store.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}
struct Value {
  float x;
  __device__ static void* operator new(size_t, void* place) { return place; }
};
__device__ Value make_value(float x) { return Value{x}; }

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
  if (row == M - 1 && col == N - 1) new (&C[M * N]) Value(make_value(0.0f));
}
