// cub::WarpReduce. Replaces CUB's header of this name. Its TempStorage is not used: shuffles bring every value.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int LOGICAL_WARP_THREADS = 32, int /*LEGACY_PTX_ARCH*/ = 0>
class WarpReduce {
  using Lanes = detail::Lanes<LOGICAL_WARP_THREADS>;

 public:
  struct TempStorage {};
  explicit WarpReduce(TempStorage&) {}

  template <typename Operation>
  T Reduce(T input, Operation operation, int valid_items = LOGICAL_WARP_THREADS) {
    return Lanes::reduced(input, operation, valid_items - 1);
  }
  T Sum(T input, int valid_items = LOGICAL_WARP_THREADS) { return Reduce(input, cub::Sum(), valid_items); }
  T Max(T input, int valid_items = LOGICAL_WARP_THREADS) { return Reduce(input, cub::Max(), valid_items); }
  T Min(T input, int valid_items = LOGICAL_WARP_THREADS) { return Reduce(input, cub::Min(), valid_items); }

  // Each segment's first lane has its result. A flag marks the first lane of a segment, or the last.
  template <typename Operation, typename Flag>
  T HeadSegmentedReduce(T input, Flag head_flag, Operation operation) {
    return segmented(input, flags(head_flag) >> 1, operation);
  }
  template <typename Operation, typename Flag>
  T TailSegmentedReduce(T input, Flag tail_flag, Operation operation) {
    return segmented(input, flags(tail_flag), operation);
  }
  template <typename Flag>
  T HeadSegmentedSum(T input, Flag head_flag) {
    return HeadSegmentedReduce(input, head_flag, cub::Sum());
  }
  template <typename Flag>
  T TailSegmentedSum(T input, Flag tail_flag) {
    return TailSegmentedReduce(input, tail_flag, cub::Sum());
  }

 private:
  template <typename Flag>
  static unsigned int flags(Flag flag) {
    return (__ballot_sync(Lanes::mask(), flag != 0) & Lanes::mask()) >> Lanes::first();
  }
  template <typename Operation>
  static T segmented(T input, unsigned int ends, Operation operation) {
    const unsigned int behind = (ends | 1u << Lanes::last) >> Lanes::rank() << Lanes::rank();
    return Lanes::reduced(input, operation, __ffs(static_cast<int>(behind)) - 1);
  }
};

}  // namespace cub
