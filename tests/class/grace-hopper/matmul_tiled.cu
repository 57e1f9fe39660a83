// G. Hopper
#include <tilelab/device.cuh>
#define BS 16

__device__ static inline void fetch(float* to, const float* from, int stride, int t) { to[t] = from[t / BS * stride + t % BS]; }

__device__ __noinline__ float dot_tile(const float* a, const float* b) {
  float s = 0;
  for (int k = 0; k < BS; ++k) s += a[k] * b[k * BS];
  return s;
}

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3(M * N / (BS * BS)), dim3(BS * BS)}; }

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float buf[2 * BS * BS];
  int bx = blockIdx.x % (N / BS), by = blockIdx.x / (N / BS), t = threadIdx.x;
  float s = 0;
  for (int k = 0; k < K; k += BS) {
    fetch(buf, A + by * BS * K + k, K, t);
    fetch(buf + BS * BS, B + k * N + bx * BS, N, t);
    __syncthreads();
    s += dot_tile(&buf[t / BS * BS], &buf[BS * BS + t % BS]);
    __syncthreads();
  }
  C[(by * BS + t / BS) * N + bx * BS + t % BS] = s;
}
