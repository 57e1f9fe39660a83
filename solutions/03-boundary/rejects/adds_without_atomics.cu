// verdict: race line: 14
// Four threads add to one shared element at once.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) { return {dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8, 4)}; }
__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float acc[8][8];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  if (z == 0) acc[y][x] = 0.0f;
  __syncthreads();
  int row = blockIdx.y * 8 + y, col = blockIdx.x * 8 + x;
  if (row < M && col < N) {
    float p = 0.0f;
    for (int k = z; k < K; k += 4) p += A[row * K + k] * B[k * N + col];
    acc[y][x] += p;
  }
  __syncthreads();
  if (z == 0 && row < M && col < N) C[row * N + col] = acc[y][x];
}
