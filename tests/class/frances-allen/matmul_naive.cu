#include <tilelab/device.cuh>

namespace {

template <int Width, int Height>
struct Block {
  static constexpr int width = Width;
  static constexpr int height = Height;
  static __host__ __device__ dim3 grid(int M, int N) {
    return dim3((N + Width - 1) / Width, (M + Height - 1) / Height);
  }
};

using Shape = Block<32, 8>;

template <typename T>
struct Strided {
  const T* first;
  int stride;
  __device__ T operator[](int i) const { return first[i * stride]; }
};

template <typename T>
__device__ T dot(Strided<T> x, Strided<T> y, int n) {
  T sum{};
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

__host__ __device__ LaunchConfig matmul_naive_launch(int M, int N, int K) {
  return LaunchConfig{Shape::grid(M, N), dim3(Shape::width, Shape::height)};
}

__global__ void matmul_naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int i = blockIdx.y * Shape::height + threadIdx.y;
  const int j = blockIdx.x * Shape::width + threadIdx.x;
  if (i < M && j < N) C[i * N + j] = dot<float>({A + i * K, 1}, {B + j, N}, K);
}
