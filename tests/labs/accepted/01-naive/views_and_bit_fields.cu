// Structs by value with operator overloads, bit fields, alignas, structured bindings, a local class and a constexpr lambda.
#include <tilelab/device.cuh>

namespace {
struct Extent { unsigned rows : 20; unsigned cols : 20; };
template <typename T>
struct alignas(16) View {
  T* data;
  Extent size;
  __device__ T& operator()(int r, int c) const { return data[static_cast<size_t>(r) * size.cols + c]; }
  __device__ explicit operator bool() const { return data != nullptr; }
};
constexpr auto ceil_of = [](int a, int b) constexpr { return a / b + (a % b != 0); };
struct Place { int row, col; };
__device__ Place mine() {
  return {static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)};
}
template <typename L, typename R>
__device__ __forceinline__ auto dot(const L& row, const R& col, int n) {
  decltype(row(0) * col(0)) sum{};
  for (int i = 0; i != n; ++i) sum += row(i) * col(i);
  return sum;
}
}  // namespace

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  constexpr int bx = 32, by = 4;
  return LaunchConfig{dim3(ceil_of(N, bx), ceil_of(M, by)), dim3(bx, by)};
}

__global__ void __launch_bounds__(128) matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  struct Sizes { int m, n, k; } const s{M, N, K};
  const View<const float> a{A, {static_cast<unsigned>(s.m), static_cast<unsigned>(s.k)}}, b{B, {static_cast<unsigned>(s.k), static_cast<unsigned>(s.n)}};
  const View<float> c{C, {static_cast<unsigned>(s.m), static_cast<unsigned>(s.n)}};
  const auto [row, col] = mine();
  if (!(row < M && col < N)) return;
  const int r = row, q = col;
  c(r, q) = dot([&](int i) { return a(r, i); }, [&](int i) { return b(i, q); }, K);
}
