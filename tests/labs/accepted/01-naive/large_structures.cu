// Structures of more than a page of memory, passed and returned by value through three levels, and one of the launch function: nvcc puts them into local
// memory. For an argument, GCC makes room on the stack without touching its pages.
#include <tilelab/device.cuh>

struct Row {
  float values[1300];
};
struct Side {
  int length[1500];
};

__host__ __device__ int first_of(Side side) { return side.length[0]; }

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  Side side{};
  side.length[0] = 16;
  const int length = first_of(side);
  return LaunchConfig{dim3((N + length - 1) / length, (M + length - 1) / length), dim3(length, length)};
}

__device__ float at(Row row, int place) { return row.values[place]; }
__device__ float twice(Row row, int place) { return at(row, place) + at(row, place); }
__device__ Row scaled(Row row, int place, float factor) {
  row.values[place] *= factor;
  return row;
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  Row sums;
  const int place = 1100 + (row + col) % 200;
  sums.values[place] = sum;
  C[row * N + col] = twice(scaled(sums, place, 0.5f), place);
}
