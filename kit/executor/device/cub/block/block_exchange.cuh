// cub::BlockExchange. Replaces CUB's header of this name.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, bool /*WARP_TIME_SLICING*/ = false, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int /*LEGACY_PTX_ARCH*/ = 0>
class BlockExchange {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Items = T[ITEMS_PER_THREAD];

 public:
  struct TempStorage {
    detail::Slots<T, threads * ITEMS_PER_THREAD> items;
  };
  BlockExchange() : items_(detail::storage_of_block<TempStorage>().items) {}
  explicit BlockExchange(TempStorage& storage) : items_(storage.items) {}

  template <detail::Arrangement From, detail::Arrangement To>
  void move(const Items& input, Items& output) {
    detail::store<From, threads>(thread(), items_.first(), input);
    if constexpr (From == detail::warp_striped || To == detail::warp_striped)
      __syncwarp();
    else
      __syncthreads();
    take<To>(output);
  }
#define TILELAB_MOVES(name, from, to)                                                             \
  void name(const Items& input, Items& output) { move<detail::from, detail::to>(input, output); } \
  void name(Items& items) { name(items, items); }
  TILELAB_MOVES(BlockedToStriped, blocked, striped)
  TILELAB_MOVES(StripedToBlocked, striped, blocked)
  TILELAB_MOVES(BlockedToWarpStriped, blocked, warp_striped)
  TILELAB_MOVES(WarpStripedToBlocked, warp_striped, blocked)
#undef TILELAB_MOVES

  // Each item goes to the place of its rank. Guarded: one with a negative rank goes nowhere.
#define TILELAB_SCATTERS(name, to, goes)                                               \
  template <typename Rank>                                                             \
  void name(const Items& input, Items& output, const Rank(&ranks)[ITEMS_PER_THREAD]) { \
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)                                         \
      if (goes) items_[static_cast<int>(ranks[i])] = input[i];                         \
    __syncthreads();                                                                   \
    take<detail::to>(output);                                                          \
  }                                                                                    \
  template <typename Rank>                                                             \
  void name(Items& items, const Rank(&ranks)[ITEMS_PER_THREAD]) {                      \
    name(items, items, ranks);                                                         \
  }
  TILELAB_SCATTERS(ScatterToBlocked, blocked, true)
  TILELAB_SCATTERS(ScatterToStriped, striped, true)
  TILELAB_SCATTERS(ScatterToStripedGuarded, striped, ranks[i] >= 0)
#undef TILELAB_SCATTERS

 private:
  template <detail::Arrangement Kind>
  void take(Items& items) {
    detail::load<Kind, threads>(thread(), items_.first(), items);
  }
  static int thread() { return RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z); }

  decltype(TempStorage::items)& items_;
};

}  // namespace cub
