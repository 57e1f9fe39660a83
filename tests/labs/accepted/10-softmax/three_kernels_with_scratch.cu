// A kernel for the maxima, one for the sums, one for the division; what they hand on lies in memory that the launcher allocates.
#include <cfloat>
#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                                            \
  do {                                                                                              \
    cudaError_t err = call;                                                                         \
    if (err != cudaSuccess) {                                                                       \
      fprintf(stderr, "CUDA error in %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));    \
      exit(EXIT_FAILURE);                                                                           \
    }                                                                                               \
  } while (0)

const int BLOCK = 128;

__global__ void maxKernel(const float* input, float* maxima, int N) {
  __shared__ float shared[BLOCK];
  int tid = threadIdx.x, row = blockIdx.x;
  float local = -FLT_MAX;
  for (int i = tid; i < N; i += blockDim.x) local = max(local, input[row * N + i]);
  shared[tid] = local;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) shared[tid] = max(shared[tid], shared[tid + s]);
    __syncthreads();
  }
  if (tid == 0) maxima[row] = shared[0];
}

__global__ void sumKernel(const float* input, const float* maxima, float* sums, int N) {
  __shared__ float shared[BLOCK];
  int tid = threadIdx.x, row = blockIdx.x;
  float local = 0;
  for (int i = tid; i < N; i += blockDim.x) local += expf(input[row * N + i] - maxima[row]);
  shared[tid] = local;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) shared[tid] += shared[tid + s];
    __syncthreads();
  }
  if (tid == 0) sums[row] = shared[0];
}

__global__ void divideKernel(const float* input, float* output, const float* maxima, const float* sums, int M, int N) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) output[row * N + col] = expf(input[row * N + col] - maxima[row]) / sums[row];
}

void softmax(const float* input, float* output, int M, int N) {
  float *maxima, *sums;
  CUDA_CHECK(cudaMalloc(&maxima, M * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&sums, M * sizeof(float)));
  maxKernel<<<M, BLOCK>>>(input, maxima, N);
  CUDA_CHECK(cudaGetLastError());
  sumKernel<<<M, BLOCK>>>(input, maxima, sums, N);
  CUDA_CHECK(cudaGetLastError());
  dim3 block(32, 8), grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
  divideKernel<<<grid, block>>>(input, output, maxima, sums, M, N);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(maxima));
  CUDA_CHECK(cudaFree(sums));
}
