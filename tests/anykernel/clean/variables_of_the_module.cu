// check: --kernel walk --block 32 --arg 'float[32]=iota' --arg 'float[32]'
// Everything that a kernel may do with variables of the module: pointers one past the end, swapped buffers, rows, structs, constants
// by value, tables of pointers, statics, templates, references.
#include <array>

struct Settings {
  float scale;
  int shift[3];
};
union Bits {
  float number;
  unsigned bits;
};
struct Sizes {
  static constexpr int rows = 4;
  static const int columns = 8;
};
__constant__ Settings settings = {2, {1, 2, 3}};
__constant__ const float kernel_mask[3] = {0.25f, 0.5f, 0.25f};
__constant__ float later[2] = {3, 4};
__device__ float grid[4][8];
__device__ float front[32], back[32];
__device__ float *from = front, *to = back;
__device__ float* const both[2] = {front, back};
__device__ std::array<float, 32> kept;
__device__ Bits bits[32];
static __device__ int counter;
__managed__ int shared_counter;
template <class T>
__device__ T zero_of = T(0);
const float half = 0.5f;
const int limit = 32;
constexpr dim3 tile(8, 4);
namespace {
__device__ double hidden[32];
}
#define DEVICE_ONLY __device__ __forceinline__

template <class T>
DEVICE_ONLY T twice(T value) {
  return value + value;
}
template <>
DEVICE_ONLY int twice<int>(int value) {
  return 2 * value;
}
constexpr int next(int value) { return value + 1; }
struct Base {
  __device__ explicit Base(float v) : value(v) {}
  float value;
};
struct Derived : Base {
  using Base::Base;
  Derived(const Derived&) = default;
  __device__ float get() const;
};
__device__ float Derived::get() const { return value; }
struct Plain {
  float value = 3;
};
extern "C" __device__ __noinline__ float sum_of(const float* first, const float* end) {
  float sum = 0;
  while (first != end) sum += *first++;
  return sum;
}

extern "C" __global__ __launch_bounds__(64) void walk(const float* in, float* out) {
  static __device__ int calls;
  static const float table[2] = {1, 2};
  const int t = threadIdx.x;
  if (t == 0) calls = 0;
  grid[t / tile.x][t % Sizes::columns] = in[t];
  front[t] = in[t] * settings.scale;
  hidden[t] = in[t];
  kept[t] = in[t];
  bits[t].number = in[t];
  __syncthreads();
  if (t == 0) {
    float* swap = from;
    from = to;
    to = swap;
  }
  __syncthreads();
  to[t] = both[0][t] + kernel_mask[t % 3] + later[t & 1];
  const auto add = [&](float more) { return more + half; };
  float sum = t == 0 ? sum_of(&grid[0][0], &grid[0][0] + 32) : 0;
  sum += t == 1 ? sum_of(&bits[0].number, &bits[31].number + 1) : 0;
  for (const float& one : kept) sum += t == 2 ? one : 0;
  const Derived wrapped(sum);
  const Derived copied = wrapped;
  atomicAdd(&counter, 1);
  atomicAdd(&shared_counter, twice(1));
  out[t] = add(copied.get()) + twice(2.0f) + next(t) + Plain().value + table[t & 1] + zero_of<float> + static_cast<float>(hidden[t]) +
           settings.shift[t % 3] + (bits[t].bits != 0) + (t < limit) + Sizes::rows;
}
