// mistake: verdict=uninitialized-read; line=13; says="`aTile` in line 13 has 256 elements, and a block has 64 threads"
#include <tilelab/device.cuh>
#define TS 16
#define NUM_TILES(k) ((k) / TS)

__host__ __device__ LaunchConfig matmul_tiled_launch(int rowsA, int colsB, int colsA) {
  dim3 block(8, 8);
  dim3 grid(colsB / TS, rowsA / TS);
  return LaunchConfig{grid, block};
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float aTile[TS * TS];
  __shared__ float bTile[TS * TS];
  const int lx = threadIdx.x, ly = threadIdx.y;
  const int gx = blockIdx.x * TS + lx;
  const int gy = blockIdx.y * TS + ly;
  float total = 0;
  for (int m = 0; m < NUM_TILES(K); m++) {
    aTile[ly * TS + lx] = A[gy * K + (m * TS + lx)];
    bTile[ly * TS + lx] = B[(m * TS + ly) * N + gx];
    __syncthreads();
    for (int e = 0; e < TS; e++) {
      total += aTile[ly * TS + e] * bTile[e * TS + lx];
    }
    __syncthreads();
  }
  C[gy * N + gx] = total;
}
