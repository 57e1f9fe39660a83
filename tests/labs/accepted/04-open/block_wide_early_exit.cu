// A grid larger than needed, in three dimensions; blocks without work leave whole. 8×8 micro tiles in a struct.
#include <tilelab/device.cuh>

template <int Rows, int Cols>
struct Fragment {
  float at[Rows][Cols] = {};
  __device__ Fragment& operator+=(const Fragment& other) {
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < Cols; ++j) at[i][j] += other.at[i][j];
    return *this;
  }
};

template <int Rows, int Cols>
__device__ Fragment<Rows, Cols> outer(const float (&a)[Rows], const float (&b)[Cols]) {
  Fragment<Rows, Cols> product;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j) product.at[i][j] = a[i] * b[j];
  return product;
}

constexpr int tile = 32, depth = 16, micro = 4, side = tile / micro;

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  const unsigned across = (N + tile - 1) / tile, down = (M + tile - 1) / tile;
  return {dim3((across + 1) / 2, down, 2), dim3(side, side)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[depth][tile], Bs[depth][tile];
  const int left = (blockIdx.x * gridDim.z + blockIdx.z) * tile, top = blockIdx.y * tile;
  if (left >= N) return;  // the whole block
  const int t = threadIdx.y * side + threadIdx.x;
  Fragment<micro, micro> sum;
  for (int start = 0; start < K; start += depth) {
    for (int i = t; i < depth * tile; i += side * side) {
      const int r = i / depth, k = i % depth;
      As[k][r] = top + r < M && start + k < K ? A[(top + r) * K + start + k] : 0.0f;
      Bs[i / tile][i % tile] = start + i / tile < K && left + i % tile < N ? B[(start + i / tile) * N + left + i % tile] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
      float a[micro], b[micro];
      for (int i = 0; i < micro; ++i) {
        a[i] = As[k][threadIdx.y * micro + i];
        b[i] = Bs[k][threadIdx.x * micro + i];
      }
      sum += outer(a, b);
    }
    __syncthreads();
  }
  for (int i = 0; i < micro; ++i) {
    const int row = top + threadIdx.y * micro + i;
    for (int j = 0; row < M && j < micro; ++j) {
      const int col = left + threadIdx.x * micro + j;
      if (col < N) C[row * N + col] = sum.at[i][j];
    }
  }
}
