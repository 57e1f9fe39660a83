// A whole block for each element of C, summed up by a tree in shared memory: slow, and correct.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) { return {dim3(N, M), dim3(64), 64 * sizeof(float)}; }
__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
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
