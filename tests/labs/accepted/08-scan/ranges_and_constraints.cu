// In C++20: a span of rooms, a constrained template, a kernel that requires something of its type. Warps scan with shuffles, each thread
// has eight numbers of its own, and the levels of sums are scanned from the top.
#include <cuda_runtime.h>

#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <source_location>
#include <span>

namespace {

void check(cudaError_t status, const std::source_location place = std::source_location::current()) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", place.file_name(), unsigned(place.line()), cudaGetErrorString(status));
  std::exit(1);
}

constexpr int threads = 128, items = 8, tile = threads * items;

using GiveBack = decltype([](auto* memory) { check(cudaFree(memory)); });

template <typename T>
using Room = std::unique_ptr<T, GiveBack>;

template <typename T>
Room<T> room(int count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return Room<T>(memory);
}

template <std::integral T>
__device__ T scanned_in_warp(T value) {
  for (int step = 1; step < 32; step <<= 1) {
    const T before = __shfl_up_sync(~0u, value, step);
    if ((threadIdx.x & 31) >= step) value += before;
  }
  return value;
}

template <std::integral T>
  requires(sizeof(T) >= 4)
__global__ void __launch_bounds__(threads) scan_tiles(const T* in, T* out, T* sums, int n) {
  __shared__ T warps[threads / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, base = (blockIdx.x * threads + threadIdx.x) * items;
  T values[items];
  T sum{};
  for (int k = 0; T& value : values) {
    sum += base + k < n ? in[base + k] : T{};
    value = sum;
    ++k;
  }
  const T scanned = scanned_in_warp(sum);
  if (lane == 31) warps[warp] = scanned;
  __syncthreads();
  T before = scanned - sum;
  for (int k = 0; k < warp; ++k) before += warps[k];
  for (int k = 0; k < items && base + k < n; ++k) out[base + k] = values[k] + before;
  if (threadIdx.x == threads - 1) sums[blockIdx.x] = before + sum;
}

template <std::integral T>
__global__ void add_before(T* out, const T* sums, int n) {
  if (blockIdx.x == 0) return;
  const T before = sums[blockIdx.x - 1];
  for (int k = threadIdx.x; k < tile; k += threads) {
    if (const int i = blockIdx.x * tile + k; i < n) out[i] += before;
  }
}

struct Level {
  Room<int> sums;
  int count;
};

void down(const int* in, int* out, int n, std::span<Level> levels) {
  Level& level = levels.front();
  scan_tiles<int><<<level.count, threads>>>(in, out, level.sums.get(), n);
  check(cudaGetLastError());
  if (level.count == 1) return;
  down(level.sums.get(), level.sums.get(), level.count, levels.subspan(1));
  add_before<<<level.count, threads>>>(out, level.sums.get(), n);
  check(cudaGetLastError());
}

}  // namespace

void scan(const int* in, int* out, int n) {
  Level levels[3];
  int count = n;
  for (Level& level : levels) {
    count = (count + tile - 1) / tile;
    level = Level{.sums = room<int>(count), .count = count};
  }
  down(in, out, n, levels);
}
