// TF32 would be too coarse, so a warp's matrix functions take doubles: 8 x 8 x 4. Any size: tiles in shared memory hold zeros outside.
#include <tilelab/device.cuh>
#include <mma.h>
using namespace nvcuda;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return LaunchConfig{dim3((N + 15) / 16, (M + 15) / 16), dim3(32, 4)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ double a[16][16], b[16][16];
  const int warp = threadIdx.y, lane = threadIdx.x, wy = warp / 2 * 8, wx = warp % 2 * 8, r0 = blockIdx.y * 16, c0 = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::fill_fragment(sum, 0.0);
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = warp * 32 + lane; i < 256; i += 128) {
      const int y = i / 16, x = i % 16;
      a[y][x] = r0 + y < M && k0 + x < K ? A[(r0 + y) * K + k0 + x] : 0.0;
      b[y][x] = k0 + y < K && c0 + x < N ? B[(k0 + y) * N + c0 + x] : 0.0;
    }
    __syncthreads();
    for (int k = 0; k < 16; k += 4) {
      wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &a[wy][k], 16);
      wmma::load_matrix_sync(fb, &b[k][wx], 16);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&a[wy][wx], sum, 16, wmma::mem_row_major);
  __syncthreads();
  for (int i = warp * 32 + lane; i < 256; i += 128) {
    const int y = r0 + i / 16, x = c0 + i % 16;
    if (y < M && x < N) C[y * N + x] = float(a[i / 16][i % 16]);
  }
}
