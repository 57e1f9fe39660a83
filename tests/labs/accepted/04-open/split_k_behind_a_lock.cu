// Blocks share each tile's sums: each adds its slice of K under a lock of that tile, and the last one hands them over.
#include <tilelab/device.cuh>
#define MAXE (1 << 18)
constexpr int T = 8, SLICES = 3;
__device__ float sums[MAXE];
__device__ int locks[MAXE / (T * T)], arrived[MAXE / (T * T)];
__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return {dim3((N + T - 1) / T, (M + T - 1) / T, SLICES), dim3(T, T)};
}
__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ bool last;
  const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  const int tile = blockIdx.y * gridDim.x + blockIdx.x, element = (tile * T + threadIdx.y) * T + threadIdx.x;
  const int slice = (K + SLICES - 1) / SLICES, from = blockIdx.z * slice, to = min(K, from + slice);
  float sum = 0.0f;
  if (row < M && col < N) {
    for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + col];
  }
  const bool first_thread = threadIdx.x == 0 && threadIdx.y == 0;
  if (first_thread) {
    while (atomicCAS(&locks[tile], 0, 1) != 0) {
    }
    __threadfence();
  }
  __syncthreads();
  sums[element] += sum;
  __threadfence();
  __syncthreads();
  if (first_thread) {
    last = ++arrived[tile] == SLICES;
    __threadfence();
    atomicExch(&locks[tile], 0);
  }
  __syncthreads();
  if (last && row < M && col < N) C[row * N + col] = sums[element];
}
