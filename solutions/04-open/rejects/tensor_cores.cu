// verdict: wrong-answer
// explains: low-precision
// Tensor cores with tf32 inputs: their ten bits are enough for small integers and not for fp32's tolerance.
#include <mma.h>
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(32)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  using namespace nvcuda;
  __shared__ float a[16][8], b[8][16], c[16][16];
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int start = 0; start < K; start += 8) {
    for (int i = threadIdx.x; i < 128; i += 32) {
      const int row = blockIdx.y * 16 + i / 8, col = blockIdx.x * 16 + i % 16;
      a[i / 8][i % 8] = row < M && start + i % 8 < K ? A[row * K + start + i % 8] : 0.0f;
      b[i / 16][i % 16] = start + i / 16 < K && col < N ? B[(start + i / 16) * N + col] : 0.0f;
    }
    __syncwarp();
    wmma::load_matrix_sync(left, &a[0][0], 8);
    wmma::load_matrix_sync(right, &b[0][0], 16);
    wmma::mma_sync(sum, left, right, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(&c[0][0], sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) {
    const int row = blockIdx.y * 16 + i / 16, col = blockIdx.x * 16 + i % 16;
    if (row < M && col < N) C[row * N + col] = c[i / 16][i % 16];
  }
}
