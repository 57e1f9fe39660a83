// Grid sizes by ceil() of a floating-point quotient, as many courses teach it; own names for threadIdx and friends.
#include <cmath>
#include <cstdint>
#include <tilelab/device.cuh>

#define min(a, b) ((a) < (b) ? (a) : (b))

__host__ __device__ LaunchConfig matmul_naive_launch(const int M, const int N, const int K) {
  const dim3 threads_per_block(16, 8);
  dim3 blocks;
  blocks.x = (unsigned int)ceil(N / 16.0);
  blocks.y = static_cast<unsigned>(ceilf((float)M / threads_per_block.y));
  return {blocks, threads_per_block, 0u};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, const int M, const int N, const int K) {
  const uint3 t = threadIdx;
  const dim3 size = blockDim;
  const std::uint32_t row = blockIdx.y * size.y + t.y, col = blockIdx.x * size.x + t.x;
  if (row >= std::uint32_t(M)) return;
  if (!(col < std::uint32_t(N))) return;
  float sum = 0;
  for (unsigned k = K; k-- > 0;) sum += *(A + row * K + k) * *(B + k * N + col);
  *(C + row * N + min(col, std::uint32_t(N - 1))) = sum;
}
