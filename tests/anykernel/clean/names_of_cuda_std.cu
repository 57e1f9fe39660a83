// check: --kernel statistics --block 64 --arg 'float[64]=iota' --arg 'float[4]'
#include <cassert>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <typename Values>
__device__ cuda::std::pair<float, float> ends(const Values& values) {
  float low = cuda::std::numeric_limits<float>::max(), high = cuda::std::numeric_limits<float>::lowest();
  for (const float value : values) {
    low = cuda::std::min(low, value);
    high = cuda::std::max(high, value);
  }
  return cuda::std::make_pair(low, high);
}

__global__ void statistics(const float* in, float* out) {
  static_assert(cuda::std::is_same_v<cuda::std::uint32_t, unsigned>);
  __shared__ cuda::std::array<float, 64> values;
  __shared__ int count;
  const int t = threadIdx.x;
  values[t] = in[t];
  if (t == 0) count = 0;
  __syncthreads();
  if (values[t] > 0) cuda::std::atomic_ref<int>(count).fetch_add(1, cuda::std::memory_order_relaxed);
  __syncthreads();
  if (t != 0) return;
  const auto [low, high] = ends(values);
  cuda::std::tuple<float, int> both(low, count);
  float a = 1, b = 2;
  cuda::std::swap(a, b);
  out[0] = cuda::std::get<0>(both) + float(cuda::std::get<1>(both));
  out[1] = cuda::std::max(high, a);
  out[2] = cuda::std::min(cuda::std::sqrt(high), 5.0f) + cuda::std::plus<float>{}(b, 2);
  assert(out[0] == 63 && out[1] == 63 && out[2] == 8);
}
