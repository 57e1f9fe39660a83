// verdict: barrier-divergence line: 14
// The loop runs once more for each lane, and the shuffle in it names all 32.
#include <tilelab/device.cuh>
__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) { return {dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)}; }
__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float bt[32][33];
  int lane = threadIdx.x, w = threadIdx.y;
  int row = blockIdx.y * 8 + w, col = blockIdx.x * 32 + lane;
  float acc = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int r = w; r < 32; r += 8) bt[r][lane] = (k0 + r < K && col < N) ? B[(k0 + r) * N + col] : 0.0f;
    float a = (row < M && k0 + lane < K) ? A[row * K + k0 + lane] : 0.0f;
    __syncthreads();
    for (int k = 0; k < lane + 1; ++k) acc += __shfl_sync(0xffffffffu, a, k) * bt[k][lane];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
