// __restrict__, __launch_bounds__, __ldg, fmaf, unrolling pragmas, and the headers people add out of habit.
#include <cuda_runtime.h>
#include <cstdio>
#include <math.h>
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return {dim3((N + 31) / 32, (M + 3) / 4, 1), dim3(32, 4, 1), 0};
}

__global__ __launch_bounds__(128, 2) void matmul_naive(const float* __restrict__ A, const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N, int K) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= N || y >= M) return;
  float even = 0.0f, odd = 0.0f;
  int k = 0;
#pragma unroll 4
  for (; k + 1 < K; k += 2) {
    even = fmaf(__ldg(&A[y * K + k]), __ldg(B + k * N + x), even);
    odd = __fmaf_rn(__ldg(&A[y * K + k + 1]), __ldg(B + (k + 1) * N + x), odd);
  }
  if (k < K) even = fmaf(__ldg(&A[y * K + k]), __ldg(B + k * N + x), even);
  C[y * N + x] = __fadd_rn(even, odd);
}
