// Tables in every kind of memory: __constant__, __device__, static const, a local array with an initialiser list.
#include <cassert>
#include <tilelab/device.cuh>

__constant__ int block_side = 16;
__constant__ float ones[4] = {1.0f, 1.0f, 1.0f, 1.0f};
__device__ const int order[8] = {7, 6, 5, 4, 3, 2, 1, 0};

struct Position {
  int row, col;
};

__device__ Position position() {
  Position p;
  p.row = blockIdx.y * blockDim.y + threadIdx.y;
  p.col = blockIdx.x * blockDim.x + threadIdx.x;
  return p;
}

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  assert(blockDim.x == static_cast<unsigned>(block_side) && K > 0);
  static const int steps[2] = {8, 1};
  const float weights[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const Position p = position();
  Position copies[3] = {p, p, p};
  if (copies[1].row >= M || copies[2].col >= N) return;
  float sum = 0.0f;
  int k = 0;
  for (; k + steps[0] <= K; k += steps[0]) {
    for (int i = 0; i < 8; ++i) {
      const int at = k + order[i];
      sum += ones[i % 4] * weights[2 * i] * A[p.row * K + at] * B[at * N + p.col];
    }
  }
  switch ((K - k) % 8) {
    case 7: sum += A[p.row * K + k] * B[k * N + p.col]; ++k; [[fallthrough]];
    case 6: sum += A[p.row * K + k] * B[k * N + p.col]; ++k; [[fallthrough]];
    case 5: sum += A[p.row * K + k] * B[k * N + p.col]; ++k; [[fallthrough]];
    default:
      while (k < K) {
        sum += A[p.row * K + k] * B[k * N + p.col];
        k += steps[1];
      }
  }
  C[p.row * N + p.col] = sum;
}
