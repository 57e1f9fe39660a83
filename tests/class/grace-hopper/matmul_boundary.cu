// G. Hopper: blocks take tiles like cards from a deck
#include <tilelab/device.cuh>

constexpr unsigned TILE = 8;

struct Tiles {
  unsigned across, down;
  __host__ __device__ Tiles(int M, int N) : across((N + TILE - 1) / TILE), down((M + TILE - 1) / TILE) {}
  __host__ __device__ unsigned count() const { return across * down; }
};

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  const unsigned tiles = Tiles(M, N).count();
  return {dim3(tiles < 6 ? tiles : 6), dim3(TILE, TILE)};
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  const Tiles tiles(M, N);
  const unsigned tx = threadIdx.x, ty = threadIdx.y, m = M, n = N, depth = K;
  for (unsigned tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    const unsigned row = tile / tiles.across * TILE + ty, col = tile % tiles.across * TILE + tx;
    float sum = 0.0f;
    for (unsigned start = 0; start < depth; start += TILE) {
      As[ty][tx] = row < m && start + tx < depth ? A[row * depth + start + tx] : 0.0f;
      Bs[ty][tx] = start + ty < depth && col < n ? B[(start + ty) * n + col] : 0.0f;
      __syncthreads();
      for (unsigned k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
      __syncthreads();
    }
    if (row < m && col < n) C[row * n + col] = sum;
  }
}
