// verdict: needs-gpu line: 26
// A naive kernel that takes rows by value through `...`, whose loads no callback announces.
#include <tilelab/device.cuh>

struct Row {
  float x[16];
};

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / 16, M / 16), dim3(16, 16)};
}

__device__ float pick(int index, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, index);
  const Row row = __builtin_va_arg(list, Row);
  __builtin_va_end(list);
  return row.x[index];
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += pick(k % 16, *reinterpret_cast<const Row*>(&A[row * K + k / 16 * 16])) *
           pick(col % 16, *reinterpret_cast<const Row*>(&B[k * N + col / 16 * 16]));
  }
  C[row * N + col] = sum;
}
