// mistake: verdict=launch-error; line=9; says="`total / tpb` with total = 1 and tpb = 128 is 0"
#include <tilelab/device.cuh>

// one dimensional version
__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  int total = M * N;
  int tpb = 128;
  int nblocks = total / tpb;
  return LaunchConfig{dim3(nblocks), dim3(tpb)};
}

__device__ float rowTimesCol(const float* A, const float* B, int r, int c, int N, int K) {
  float s = 0.0f;
  for (int t = 0; t < K; t++) s += A[r * K + t] * B[t * N + c];
  return s;
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  int id = blockDim.x * blockIdx.x + threadIdx.x;
  if (id >= M * N) return;
  int r = id / N;
  int c = id % N;
  C[id] = rowTimesCol(A, B, r, c, N, K);
}
