// verdict: pass points: any
// The upper half in one stream, the lower half in another, over memory of its own, and with names in a namespace without one.
#include <cuda_runtime.h>

#define TILE 32
#define ROWS 8  // of threads in a block

namespace {
__constant__ float zero[2];

__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  float sums[TILE / ROWS] = {zero[0], zero[1], zero[0], zero[1]};
  for (int first = 0; first < N; first += TILE) {
    for (int i = 0; i < TILE; i += ROWS) {
      int n = first + threadIdx.y + i;
      a[threadIdx.y + i][threadIdx.x] = row + i < M && first + threadIdx.x < N ? A[(row + i) * N + first + threadIdx.x] : 0.0f;
      b[threadIdx.y + i][threadIdx.x] = n < N && col < K ? B[n * K + col] : 0.0f;
    }
    __syncthreads();
    for (int n = 0; n < TILE; n++) {
#pragma unroll
      for (int i = 0; i < TILE / ROWS; i++) sums[i] += a[threadIdx.y + i * ROWS][n] * b[n][threadIdx.x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TILE / ROWS; i++) {
    if (row + i * ROWS < M && col < K) C[(row + i * ROWS) * K + col] = sums[i];
  }
}

}  // namespace

// A, B and C lie in the GPU's memory.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 threadsPerBlock(TILE, ROWS);
  dim3 blocksPerGrid((K + TILE - 1) / TILE, (M + TILE - 1) / TILE);

  float* all;
  float nothing[2] = {0.0f, 0.0f};
  cudaMemcpyToSymbol(zero, nothing, sizeof nothing);
  cudaStream_t streams[2];
  cudaEvent_t done;
  cudaMalloc(&all, sizeof(float) * M * K);
  for (int half = 0; half < 2; half++) {
    int first = half * (M / 2), rows = half == 0 ? M / 2 : M - M / 2;
    cudaStreamCreateWithFlags(&streams[half], half == 0 ? cudaStreamDefault : cudaStreamNonBlocking);
    blocksPerGrid.y = (rows + TILE - 1) / TILE;
    if (rows > 0) matrix_multiplication_kernel<<<blocksPerGrid, threadsPerBlock, 0, streams[half]>>>(A + first * N, B, all + first * K, rows, N, K);
  }
  cudaEventCreate(&done);
  cudaEventRecord(done, streams[1]);
  cudaStreamWaitEvent(streams[0], done, 0);
  cudaMemcpyAsync(C, all, sizeof(float) * M * K, cudaMemcpyDeviceToDevice, streams[0]);
  cudaStreamSynchronize(streams[0]);
  cudaEventDestroy(done);
  for (int half = 0; half < 2; half++) cudaStreamDestroy(streams[half]);
  cudaFree(all);
}
