// Dynamic shared memory of a type of its own, a rectangular block, the depth of a slice from the launch.
#include <tilelab/device.cuh>

struct alignas(8) Pair {
  float a, b;
};

constexpr int wide = 32, high = 8, depth = 32;

__host__ __device__ LaunchConfig matmul_boundary_launch(int M, int N, int K) {
  LaunchConfig config{};
  config.grid = dim3((N + wide - 1) / wide, (M + high - 1) / high);
  config.block = dim3(wide, high);
  config.shared_bytes = (high * depth + depth * wide) * sizeof(float);
  return config;
}

__global__ void matmul_boundary(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ Pair pairs[];
  float* As = &pairs[0].a;          // high × depth
  float* Bs = As + high * depth;    // depth × wide
  const int row = blockIdx.y * high + threadIdx.y, col = blockIdx.x * wide + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < K; start += depth) {
    const int k = start + threadIdx.x;
    As[threadIdx.y * depth + threadIdx.x] = row < M && k < K ? A[row * K + k] : 0.0f;
    for (int r = threadIdx.y; r < depth; r += high)
      Bs[r * wide + threadIdx.x] = start + r < K && col < N ? B[(start + r) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < depth; ++i) sum += As[threadIdx.y * depth + i] * Bs[i * wide + threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
