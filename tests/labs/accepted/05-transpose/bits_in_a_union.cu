// A tile of a union, bit tricks, an enum class, a block of 32 x 8 whose rows are walked by a range-for over a small range type.
#include <tilelab/device.cuh>
enum class Side : int { width = 32, height = 8 };
constexpr int operator+(Side s) { return static_cast<int>(s); }
struct Every {
  int from, to, by;
  struct It { int at, by; __device__ int operator*() const { return at; } __device__ void operator++() { at += by; } __device__ bool operator!=(const It& o) const { return at < o.at; } };
  __device__ It begin() const { return {from, by}; }
  __device__ It end() const { return {to, by}; }
};
union Cell { float f; unsigned u; };

__host__ __device__ LaunchConfig transpose_tiled_launch(int M, int N) {
  return LaunchConfig{dim3((N + +Side::width - 1) / +Side::width, (M + +Side::width - 1) / +Side::width), dim3(+Side::width, +Side::height)};
}

__global__ void transpose_tiled(const float* in, float* out, int M, int N) {
  __shared__ Cell tile[32 * 32];
  const unsigned x = threadIdx.x;
  for (int y : Every{(int)threadIdx.y, +Side::width, +Side::height}) {
    const int r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    if (r < M && c < N) tile[y << 5 | (x ^ y)].u = __float_as_uint(in[(size_t)r * N + c]);
  }
  __syncthreads();
  for (int y : Every{(int)threadIdx.y, +Side::width, +Side::height}) {
    const int r = blockIdx.x * 32 + y, c = blockIdx.y * 32 + x;
    if (r < N && c < M) out[(size_t)r * M + c] = tile[x << 5 | (y ^ x)].f;
  }
}
