// cub::BlockScan. Replaces CUB's header of this name. Each algorithm combines in CUB's order, so sums of floats are the same.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int /*LEGACY_PTX_ARCH*/ = 0>
class BlockScan {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, warps = (threads + 31) / 32;
  static constexpr bool by_warps = ALGORITHM == BLOCK_SCAN_WARP_SCANS && threads % 32 == 0;

 public:
  // A thread writes its partial behind the place from which it reads what comes before it, so that two uses without a barrier race.
  struct TempStorage {
    detail::Slots<T, by_warps ? warps : threads + 1> partials;
    detail::Slots<T, 1> total;
  };
  BlockScan() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  // One item of each thread, or an array of them. What may follow: an initial value; the operator, except for sums; then a variable for
  // the aggregate, which is without the initial value, or a functor that the first warp asks what comes before, given the aggregate.
#define TILELAB_SCAN(name, is_inclusive, ...)                                            \
  template <typename... Rest>                                                            \
  void name(T input, T& output, Rest&&... rest) {                                        \
    T in[] = {input}, out[1];                                                            \
    name(in, out, rest...);                                                              \
    output = out[0];                                                                     \
  }                                                                                      \
  template <int ITEMS_PER_THREAD, typename... Rest>                                      \
  void name(T(&input)[ITEMS_PER_THREAD], T(&output)[ITEMS_PER_THREAD], Rest&&... rest) { \
    scan<is_inclusive>(input, output, __VA_ARGS__);                                      \
  }
  TILELAB_SCAN(InclusiveScan, true, rest...)
  TILELAB_SCAN(ExclusiveScan, false, rest...)
  TILELAB_SCAN(InclusiveSum, true, cub::Sum(), rest...)
  TILELAB_SCAN(ExclusiveSum, false, T(), cub::Sum(), rest...)
#undef TILELAB_SCAN

 private:
  template <bool Inclusive, int Count, typename First, typename... Rest>
  void scan(T (&input)[Count], T (&output)[Count], First&& first, Rest&&... rest) {
    if constexpr (std::is_invocable_v<First&, T, T>)
      scan_with<Inclusive>(input, output, detail::NothingBefore(), first, rest...);
    else
      scan_with<Inclusive>(input, output, detail::ValueBefore<T>{static_cast<T>(first)}, rest...);
  }
  template <bool Inclusive, int Count, typename Before, typename Operation>
  void scan_with(T (&input)[Count], T (&output)[Count], Before before, Operation operation) {
    T total;
    scan_items<Inclusive>(input, output, before, operation, total);
  }
  template <bool Inclusive, int Count, typename Before, typename Operation, typename Last>
  void scan_with(T (&input)[Count], T (&output)[Count], Before before, Operation operation, Last& last) {
    T total;
    if constexpr (std::is_invocable_v<Last&, T>)
      scan_items<Inclusive>(input, output, detail::AskedBefore<Last>{last}, operation, total);
    else
      scan_items<Inclusive>(input, output, before, operation, last);
  }

  template <bool Inclusive, int Count, typename Before, typename Operation>
  void scan_items(T (&input)[Count], T (&output)[Count], Before before, Operation operation, T& total) {
    T left, upto;
    scan_threads(detail::reduced_items(input, operation), before, operation, left, upto, total);
    if constexpr (Inclusive && Count == 1) {
      output[0] = upto;
    } else {
      bool has = detail::has_before<Before> || thread() != 0;
      for (int i = 0; i < Count; ++i, has = true) {
        const T next = has ? operation(left, input[i]) : input[i];
        output[i] = Inclusive ? next : left;
        left = next;
      }
    }
  }

  // `left`: what comes before this thread, `upto`: the same with its own value, `total`: of all threads.
  template <typename Before, typename Operation>
  void scan_threads(T value, Before before, Operation operation, T& left, T& upto, T& total) {
    if constexpr (threads <= 32) {
      upto = scan_warp<threads>(value, before, operation, left, total);
    } else if constexpr (by_warps) {
      scan_warps(value, before, operation, left, upto, total);
    } else {
      rake(value, before, operation, total);
      const bool has = detail::has_before<Before> || thread() != 0;
      if (has) left = storage_.partials[thread()];
      upto = has ? operation(left, value) : value;
    }
  }

  template <int Count, typename Before, typename Operation>
  static T scan_warp(T value, Before before, Operation operation, T& left, T& total) {
    using Lanes = detail::Lanes<Count>;
    T upto = Lanes::scanned(value, operation);
    total = Lanes::shuffled(upto, Lanes::last);
    left = Lanes::shuffled(upto, Lanes::rank() == 0 ? 0 : Lanes::rank() - 1);
    if constexpr (detail::has_before<Before>) {
      const T first = Lanes::shuffled(before(total), 0);
      left = Lanes::rank() == 0 ? first : operation(first, left);
      upto = operation(first, upto);
    } else if (Lanes::rank() == 0) {
      T undefined;
      left = undefined;
    }
    return upto;
  }

  // Each thread of the first warp takes the partials of some threads that follow each other.
  template <typename Before, typename Operation>
  void rake(T value, Before before, Operation operation, T& total) {
    constexpr int segment = (threads + 31) / 32, rakes = (threads + segment - 1) / segment;
    storage_.partials[thread() + 1] = value;
    __syncthreads();
    if (const int first = thread() * segment; thread() < rakes) {
      const int count = first + segment < threads ? segment : threads - first;
      T values[segment], left, all;
      for (int i = 0; i < count; ++i) values[i] = storage_.partials[first + i + 1];
      T sum = values[0];
      for (int i = 1; i < count; ++i) sum = operation(sum, values[i]);
      scan_warp<rakes>(sum, before, operation, left, all);
      __syncwarp(detail::Lanes<rakes>::mask());  // the last lane's neighbour has read where this one writes
      bool has = detail::has_before<Before> || first != 0;
      for (int i = 0; i < count; ++i, has = true) {
        if (has) storage_.partials[first + i] = left;
        left = has ? operation(left, values[i]) : values[i];
      }
      if (thread() == 0) storage_.total[0] = all;
    }
    __syncthreads();
    total = storage_.total[0];
  }

  template <typename Before, typename Operation>
  void scan_warps(T value, Before before, Operation operation, T& left, T& upto, T& total) {
    T of_warp, before_warp;
    upto = scan_warp<32>(value, detail::NothingBefore(), operation, left, of_warp);
    const int warp = thread() / 32;
    if (thread() % 32 == 31) storage_.partials[warp] = upto;
    __syncthreads();
    total = storage_.partials[0];
    for (int other = 1; other < warps; ++other) {
      if (other == warp) before_warp = total;
      total = operation(total, storage_.partials[other]);
    }
    if (warp > 0) {
      left = thread() % 32 == 0 ? before_warp : operation(before_warp, left);
      upto = operation(before_warp, upto);
    }
    if constexpr (detail::has_before<Before>) {
      T first;
      if (warp == 0) first = before(total);
      if (thread() == 0) storage_.total[0] = first;
      __syncthreads();
      first = storage_.total[0];
      left = thread() == 0 ? first : operation(first, left);
      upto = operation(first, upto);
    }
  }

  static int thread() { return RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z); }

  TempStorage& storage_;
};

}  // namespace cub
