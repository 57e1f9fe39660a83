// run:
// prints: product of 96 x 80 and 80 x 64 is right\n
#include <cuda_runtime.h>

#include <cmath>
#include <iostream>
#include <vector>

#define CHECK(call)                                                                                       \
  do {                                                                                                    \
    cudaError_t error_ = (call);                                                                          \
    if (error_ != cudaSuccess) {                                                                          \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " << cudaGetErrorString(error_) << std::endl;        \
      std::exit(EXIT_FAILURE);                                                                            \
    }                                                                                                     \
  } while (0)

constexpr int TILE = 16;

__global__ void product(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < K; start += TILE) {
    As[threadIdx.y][threadIdx.x] = row < M && start + threadIdx.x < K ? A[row * K + start + threadIdx.x] : 0;
    Bs[threadIdx.y][threadIdx.x] = start + threadIdx.y < K && col < N ? B[(start + threadIdx.y) * N + col] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

int main() {
  const int M = 96, N = 64, K = 80;
  std::vector<float> A(M * K), B(K * N), C(M * N);
  for (size_t i = 0; i < A.size(); ++i) A[i] = i % 7;
  for (size_t i = 0; i < B.size(); ++i) B[i] = i % 5;

  float *dA, *dB, *dC;
  CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
  CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
  CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
  CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  const dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  CHECK(cudaEventRecord(begin));
  product<<<grid, block>>>(dA, dB, dC, M, N, K);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

  bool right = milliseconds >= 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
      right = right && std::fabs(sum - C[i * N + j]) < 1e-3f;
    }
  std::cout << "product of " << M << " x " << K << " and " << K << " x " << N << (right ? " is right" : " is wrong") << std::endl;
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFree(dA));
  CHECK(cudaFree(dB));
  CHECK(cudaFree(dC));
}
