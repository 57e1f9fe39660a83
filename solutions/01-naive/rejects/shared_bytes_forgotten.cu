// verdict: out-of-bounds line: 8
// extern __shared__, but the launch function asks for no bytes of it.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) { return {dim3(N, M), dim3(64)}; }
__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float partial[];
  unsigned t = threadIdx.x;
  partial[t] = 0;
  for (int k = t; k < K; k += blockDim.x) partial[t] += A[blockIdx.y * K + k] * B[k * N + blockIdx.x];
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    if (t < stride) partial[t] += partial[t + stride];
  }
  if (t == 0) C[blockIdx.y * N + blockIdx.x] = partial[0];
}
