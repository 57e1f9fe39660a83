// A part of CUB: algorithms of the whole device, called by the host. They run on the host, on the memory of the device, as those of
// thrust.hpp do. Those of a warp or a block, which kernels call, are missing.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>

#include "runtime_device.hpp"
#include "thrust.hpp"

namespace cub {

namespace detail {

// The first call asks for the size of the scratch memory, of which nothing is needed here.
template <typename Work, typename... Given>
cudaError_t run(void* scratch, std::size_t& scratch_bytes, const Work& work, const Given&... given) {
  if (scratch == nullptr) {
    scratch_bytes = 1;
    return cudaSuccess;
  }
  try {
    thrust::detail::run_here<true>(work, given...);
  } catch (const std::runtime_error&) {
    return cudaPeekAtLastError();
  }
  return cudaSuccess;
}
template <typename Keys, typename Less>
cudaError_t sort(void* scratch, std::size_t& scratch_bytes, const Keys* from, Keys* to, std::size_t count, Less less) {
  const auto work = [&](const Keys* in, Keys* out) {
    std::copy_n(in, count, out);
    std::stable_sort(out, out + count, less);
  };
  return run(scratch, scratch_bytes, work, from, to);
}
template <typename Keys, typename Values, typename Less>
cudaError_t sort(void* scratch, std::size_t& scratch_bytes, const Keys* from, Keys* to, const Values* values_from, Values* values_to,
                 std::size_t count, Less less) {
  const auto work = [&](const Keys* in, Keys* out, const Values* values_in, Values* values_out) {
    std::copy_n(in, count, out);
    std::copy_n(values_in, count, values_out);
    thrust::detail::order_by_key(out, out + count, values_out, less);
  };
  return run(scratch, scratch_bytes, work, from, to, values_from, values_to);
}

}  // namespace detail

struct DeviceReduce {
  template <typename In, typename Out, typename Function, typename T>
  static cudaError_t Reduce(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, Function function, T begin,
                            cudaStream_t = nullptr) {
    const auto work = [&](auto from, auto to) { *to = thrust::detail::sum(from, from + count, begin, function); };
    return detail::run(scratch, scratch_bytes, work, in, out);
  }
  template <typename In, typename Out>
  static cudaError_t Sum(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, cudaStream_t = nullptr) {
    return Reduce(scratch, scratch_bytes, in, out, count, std::plus<>(), thrust::detail::value_of<In>{});
  }
  template <typename In, typename Out, typename T = thrust::detail::value_of<In>>
  static cudaError_t Min(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, cudaStream_t = nullptr) {
    return Reduce(scratch, scratch_bytes, in, out, count, thrust::minimum<T>(), std::numeric_limits<T>::max());
  }
  template <typename In, typename Out, typename T = thrust::detail::value_of<In>>
  static cudaError_t Max(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, cudaStream_t = nullptr) {
    return Reduce(scratch, scratch_bytes, in, out, count, thrust::maximum<T>(), std::numeric_limits<T>::lowest());
  }
};

struct DeviceScan {
  template <typename In, typename Out>
  static cudaError_t ExclusiveSum(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, cudaStream_t = nullptr) {
    const auto work = [&](auto from, auto to) { thrust::detail::running_before(from, from + count, to); };
    return detail::run(scratch, scratch_bytes, work, in, out);
  }
  template <typename In, typename Out>
  static cudaError_t InclusiveSum(void* scratch, std::size_t& scratch_bytes, In in, Out out, long long count, cudaStream_t = nullptr) {
    const auto work = [&](auto from, auto to) { thrust::detail::running(from, from + count, to); };
    return detail::run(scratch, scratch_bytes, work, in, out);
  }
};

struct DeviceRadixSort {
  template <typename Keys>
  static cudaError_t SortKeys(void* scratch, std::size_t& scratch_bytes, const Keys* in, Keys* out, std::size_t count) {
    return detail::sort(scratch, scratch_bytes, in, out, count, std::less<>());
  }
  template <typename Keys>
  static cudaError_t SortKeysDescending(void* scratch, std::size_t& scratch_bytes, const Keys* in, Keys* out, std::size_t count) {
    return detail::sort(scratch, scratch_bytes, in, out, count, std::greater<>());
  }
  template <typename Keys, typename Values>
  static cudaError_t SortPairs(void* scratch, std::size_t& scratch_bytes, const Keys* in, Keys* out, const Values* values_in,
                               Values* values_out, std::size_t count) {
    return detail::sort(scratch, scratch_bytes, in, out, values_in, values_out, count, std::less<>());
  }
  template <typename Keys, typename Values>
  static cudaError_t SortPairsDescending(void* scratch, std::size_t& scratch_bytes, const Keys* in, Keys* out, const Values* values_in,
                                         Values* values_out, std::size_t count) {
    return detail::sort(scratch, scratch_bytes, in, out, values_in, values_out, count, std::greater<>());
  }
};

// Memory of the device. CUB's keeps what is given back for the next that asks; this one does not.
struct CachingDeviceAllocator {
  explicit CachingDeviceAllocator(bool /*keeps_at_exit*/ = false, bool /*speaks*/ = false) {}
  cudaError_t DeviceAllocate(void** pointer, std::size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(pointer, bytes); }
  cudaError_t DeviceFree(void* pointer) { return cudaFree(pointer); }
};

}  // namespace cub

#define CubDebug(error) (error)
#define CubDebugExit(error)                   \
  do {                                        \
    if ((error) != cudaSuccess) std::exit(1); \
  } while (0)
