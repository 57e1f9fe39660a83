// Concepts, if constexpr, template of a template, an extern array of structs, and a warp's tiles by cooperative groups.
#include <tilelab/device.cuh>
#include <cooperative_groups.h>
#include <concepts>
namespace cg = cooperative_groups;

template <typename T> concept Number = std::floating_point<T> || std::integral<T>;
struct Pair { float a, b; };
extern __shared__ Pair pairs[];

template <int W> struct Tile {
  static constexpr int width = W;
  template <Number T> __device__ static constexpr T at(T y, T x) { return y * T(W) + x; }
};

__host__ __device__ LaunchConfig matmul_tiled_launch(int M, int N, int K) {
  return LaunchConfig{dim3(N / 16, M / 16), dim3(256), sizeof(Pair) * 256};
}

template <typename T, bool Fused>
__device__ float step(float sum, int y, int x) {
#pragma unroll
  for (int k = 0; k < T::width; ++k) {
    const float a = pairs[T::at(y, k)].a, b = pairs[T::at(k, x)].b;
    if constexpr (Fused) sum = fmaf(a, b, sum); else sum += a * b;
  }
  return sum;
}

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<16>;
  auto block = cg::this_thread_block();
  const int rank = block.thread_rank(), y = rank / T::width, x = rank & (T::width - 1);
  const auto [bx, by, bz] = block.group_index();
  (void)bz;
  const int row = by * 16 + y, col = bx * 16 + x;
  float sum{};
  for (int k0{}; k0 < K; k0 += T::width) {
    pairs[T::at(y, x)] = Pair{.a = A[row * K + k0 + x], .b = B[(k0 + y) * N + col]};
    block.sync();
    sum = step<T, true>(sum, y, x);
    cg::sync(block);
  }
  C[row * N + col] = sum;
}
