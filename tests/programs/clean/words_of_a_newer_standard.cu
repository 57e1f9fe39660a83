// run:
// prints: 2 600 1 3\n
#include <bit>
#include <compare>
#include <concepts>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

template <std::integral T>
constexpr T rounded_up(T a, T b) {
  return (a + b - 1) / b;
}

struct Shape {
  int n;
  auto operator<=>(const Shape &) const = default;
};

template <int N, class F>
__device__ void repeat(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (f(I), ...); }(std::make_integer_sequence<int, N>{});
}

template <std::integral T>
  requires(sizeof(T) == 4)
__global__ void twice(const T *in, T *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T sum{};
  repeat<2>([&](int) { sum += in[i]; });
  out[i] = sum;
}

void count(std::span<int> numbers) {
  for (int k = 0; int &number : numbers) number = ++k;
}

int main() {
  std::vector<int> numbers(300);
  count(numbers);
  const Shape shape{.n = 300};
  int *in, *out;
  if (cudaMalloc(&in, 1200) || cudaMalloc(&out, 1200)) return 1;
  if (cudaMemcpy(in, numbers.data(), 1200, cudaMemcpyHostToDevice)) return 1;
  twice<<<rounded_up(shape.n, 128), 128>>>(in, out, shape.n);
  if (cudaGetLastError() || cudaMemcpy(numbers.data(), out, 1200, cudaMemcpyDeviceToHost)) return 1;
  std::printf("%d %d %d %d\n", numbers[0], numbers[299], shape == Shape{300}, std::popcount(7u));
  return cudaFree(in) || cudaFree(out);
}

// nvcc: -std=c++20
