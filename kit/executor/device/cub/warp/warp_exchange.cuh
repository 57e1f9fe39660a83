// cub::WarpExchange. Replaces CUB's header of this name.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int ITEMS_PER_THREAD, int LOGICAL_WARP_THREADS = 32>
class WarpExchange {
  using Items = T[ITEMS_PER_THREAD];
  using Lanes = detail::Lanes<LOGICAL_WARP_THREADS>;

 public:
  struct TempStorage {
    detail::Slots<T, LOGICAL_WARP_THREADS * ITEMS_PER_THREAD> items;
  };
  explicit WarpExchange(TempStorage& storage) : items_(storage.items) {}

  template <detail::Arrangement From, detail::Arrangement To>
  void move(const Items& input, Items& output) {
    detail::store<From, LOGICAL_WARP_THREADS>(Lanes::rank(), items_.first(), input);
    take<To>(output);
  }
  void BlockedToStriped(const Items& input, Items& output) { move<detail::blocked, detail::striped>(input, output); }
  void StripedToBlocked(const Items& input, Items& output) { move<detail::striped, detail::blocked>(input, output); }
  template <typename Rank>
  void ScatterToStriped(const Items& input, Items& output, const Rank (&ranks)[ITEMS_PER_THREAD]) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) items_[static_cast<int>(ranks[i])] = input[i];
    take<detail::striped>(output);
  }
  template <typename Rank>
  void ScatterToStriped(Items& items, const Rank (&ranks)[ITEMS_PER_THREAD]) {
    ScatterToStriped(items, items, ranks);
  }

 private:
  template <detail::Arrangement Kind>
  void take(Items& items) {
    __syncwarp(Lanes::mask());
    detail::load<Kind, LOGICAL_WARP_THREADS>(Lanes::rank(), items_.first(), items);
  }

  decltype(TempStorage::items)& items_;
};

}  // namespace cub
