// verdict: race line: 25
// The last block to arrive adds both halves up, but nothing makes sure that the other half has arrived before its ticket.
#include <tilelab/device.cuh>
#define MAXE (1 << 20)
__device__ float partial[2][MAXE];
__device__ unsigned int count[MAXE / 64];
__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) { return {dim3((N + 7) / 8, (M + 7) / 8, 2), dim3(8, 8)}; }
__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ bool amLast;
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  int half = (K + 1) / 2, from = blockIdx.z * half, to = min(K, from + half);
  if (row < M && col < N) {
    float s = 0;
    for (int k = from; k < to; ++k) s += A[row * K + k] * B[k * N + col];
    partial[blockIdx.z][row * N + col] = s;
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    unsigned ticket = atomicInc(&count[blockIdx.y * gridDim.x + blockIdx.x], 1);
    amLast = (ticket == 1);
  }
  __syncthreads();
  if (amLast && row < M && col < N) {
    __threadfence();
    C[row * N + col] = partial[0][row * N + col] + partial[1][row * N + col];
  }
}
