// Dynamic shared memory as bytes, cast to what is needed; memset and memcpy on local memory; unions.
#include <cstring>
#include <tilelab/device.cuh>

union Quad {
  float4 vector;
  float each[4];
};

constexpr unsigned T = 16;

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  const size_t bytes = 2 * T * T * sizeof(float);
  return {dim3(N / T, M / T), dim3(T / 4, T), static_cast<unsigned>(bytes)};
}

__global__ void matmul_tiled(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                             int K) {
  extern __shared__ __align__(16) unsigned char bytes[];
  float(*a)[T] = reinterpret_cast<float(*)[T]>(bytes);
  float4* b = reinterpret_cast<float4*>(bytes + T * T * sizeof(float));
  const unsigned q = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + 4 * q;
  Quad sum, part;
  memset(&sum, 0, sizeof sum);
  for (unsigned start = 0; start < unsigned(K); start += T) {
    *reinterpret_cast<float4*>(&a[y][4 * q]) = reinterpret_cast<const float4*>(A + row * K + start)[q];
    b[y * (T / 4) + q] = *reinterpret_cast<const float4*>(&B[(start + y) * N + col]);
    __syncthreads();
    for (unsigned k = 0; k < T; ++k) {
      memcpy(&part, &b[k * (T / 4) + q], sizeof(float4));
      for (int i = 0; i < 4; ++i) sum.each[i] += a[y][k] * part.each[i];
    }
    __syncthreads();
  }
  *reinterpret_cast<float4*>(&C[row * N + col]) = sum.vector;
}
