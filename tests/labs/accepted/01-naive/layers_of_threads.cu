// Function pointers, recursion, goto, switch with fallthrough, a union, 3-D blocks, unsigned wrap-around loops.
#include <tilelab/device.cuh>

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  const unsigned x = (N + 3u) / 4u, y = (M + 3u) / 4u;
  return LaunchConfig{dim3(x, y, 1), dim3(4, 4, 4)};
}

using Product = float (*)(const float*, const float*, int, int);
__device__ float none(const float*, const float*, int, int) { return 0.0f; }
__device__ float direct(const float* a, const float* b, int n, int stride) {
  float sum = 0;
  unsigned i = n;
  while (i-- > 0u) sum += a[i] * b[i * static_cast<unsigned>(stride)];
  return sum;
}
__device__ float halves(const float* a, const float* b, int n, int stride) {
  if (n <= 8) return direct(a, b, n, stride);
  const int half = n >> 1;
  return halves(a, b, half, stride) + halves(a + half, b + static_cast<ptrdiff_t>(half) * stride, n - half, stride);
}
union Parts { float whole[4]; struct { float x, y, z, w; } each; };

__global__ void matmul_naive(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float part[4][4][4];
  const int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 4 + threadIdx.x, z = threadIdx.z;
  // Each of four layers of threads takes a quarter of K.
  const int from = static_cast<int>(static_cast<long long>(K) * z / 4), to = static_cast<int>(static_cast<long long>(K) * (z + 1) / 4);
  const bool has = row < M && col < N;
  Product way = none;
  switch ((has ? 2 : 0) + (to - from > 8)) {
    case 3: way = halves; break;
    case 2: way = direct; [[fallthrough]];
    case 1: [[fallthrough]];
    case 0: default: break;
  }
  part[threadIdx.y][threadIdx.x][z] = has ? way(A + static_cast<size_t>(row) * K + from, B + static_cast<size_t>(from) * N + col, to - from, N) : way(nullptr, nullptr, 0, 0);
  __syncthreads();
  if (z != 0) goto done;
  if (has) {
    Parts p;
    for (int i = 0; i < 4; ++i) p.whole[i] = part[threadIdx.y][threadIdx.x][i];
    C[static_cast<size_t>(row) * N + col] = (p.each.x + p.each.y) + (p.each.z + p.each.w);
  }
done:
  return;
}
