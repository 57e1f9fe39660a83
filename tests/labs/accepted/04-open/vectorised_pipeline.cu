// float4 through shared memory, the next slice of K waiting in registers, one buffer more than needed.
#include <tilelab/device.cuh>

namespace {
constexpr int BM = 32, BN = 64, BK = 16;
constexpr int THREADS = 128;  // 8 × 16, each 4 rows by 4 columns

struct Tile {
  float a[BK][BM];
  float4 b[BK][BN / 4];
};

__device__ float load(const float* p, int rows, int columns, int i, int j) {
  return i < rows && j < columns ? __ldg(p + i * columns + j) : 0.0f;
}

__device__ float4 load4(const float* p, int rows, int columns, int i, int j) {
  return make_float4(load(p, rows, columns, i, j), load(p, rows, columns, i, j + 1), load(p, rows, columns, i, j + 2),
                     load(p, rows, columns, i, j + 3));
}

__device__ void axpy(float4& y, float a, const float4& x) {
  y.x += a * x.x; y.y += a * x.y; y.z += a * x.z; y.w += a * x.w;
}
}  // namespace

__host__ __device__ LaunchConfig matmul_open_launch(int M, int N, int K) {
  return {dim3((N + BN - 1) / BN, (M + BM - 1) / BM), dim3(THREADS)};
}

__global__ void matmul_open(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ Tile tiles[2];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int top = blockIdx.y * BM, left = blockIdx.x * BN;
  float a[BM * BK / THREADS];
  float4 b[BK * BN / 4 / THREADS];
  float4 sum[4];
  for (float4& s : sum) s = float4{0, 0, 0, 0};

  auto fetch = [&](int k0) {
    for (int i = 0; i < BM * BK / THREADS; ++i) {
      const int e = t + i * THREADS;
      a[i] = load(A, M, K, top + e / BK, k0 + e % BK);
    }
    for (int i = 0; i < BK * BN / 4 / THREADS; ++i) {
      const int e = t + i * THREADS;
      b[i] = load4(B, K, N, k0 + e / (BN / 4), left + e % (BN / 4) * 4);
    }
  };

  fetch(0);
  for (int k0 = 0, now = 0; k0 < K; k0 += BK, now ^= 1) {
    Tile& tile = tiles[now];
    for (int i = 0; i < BM * BK / THREADS; ++i) tile.a[(t + i * THREADS) % BK][(t + i * THREADS) / BK] = a[i];
    for (int i = 0; i < BK * BN / 4 / THREADS; ++i) tile.b[(t + i * THREADS) / (BN / 4)][(t + i * THREADS) % (BN / 4)] = b[i];
    __syncthreads();
    if (k0 + BK < K) fetch(k0 + BK);
    for (int k = 0; k < BK; ++k)
      for (int i = 0; i < 4; ++i) axpy(sum[i], tile.a[k][ty * 4 + i], tile.b[k][tx]);
  }

  for (int i = 0; i < 4; ++i) {
    const int row = top + ty * 4 + i, col = left + tx * 4;
    if (row >= M) break;
    if (col + 3 < N && N % 4 == 0) {
      *reinterpret_cast<float4*>(&C[row * N + col]) = sum[i];
    } else {
      if (col < N) C[row * N + col] = sum[i].x;
      if (col + 1 < N) C[row * N + col + 1] = sum[i].y;
      if (col + 2 < N) C[row * N + col + 2] = sum[i].z;
      if (col + 3 < N) C[row * N + col + 3] = sum[i].w;
    }
  }
}
