// cub::BlockLoad and the functions behind it. Replaces CUB's header of this name. A load of vectors reads element by element.
#pragma once

#include "block_exchange.cuh"

#pragma GCC system_header

namespace cub {

// (linear_tid, from, items[, valid_items[, out_of_bounds]])
template <typename Iterator, typename T, int ITEMS_PER_THREAD, typename... Valid>
void LoadDirectBlocked(int linear_tid, Iterator from, T (&items)[ITEMS_PER_THREAD], Valid... valid) {
  detail::load<detail::blocked, 0>(linear_tid, from, items, valid...);
}
template <int BLOCK_THREADS, typename Iterator, typename T, int ITEMS_PER_THREAD, typename... Valid>
void LoadDirectStriped(int linear_tid, Iterator from, T (&items)[ITEMS_PER_THREAD], Valid... valid) {
  detail::load<detail::striped, BLOCK_THREADS>(linear_tid, from, items, valid...);
}
template <typename Iterator, typename T, int ITEMS_PER_THREAD, typename... Valid>
void LoadDirectWarpStriped(int linear_tid, Iterator from, T (&items)[ITEMS_PER_THREAD], Valid... valid) {
  detail::load<detail::warp_striped, 0>(linear_tid, from, items, valid...);
}

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockLoad {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Exchange = BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  struct TempStorage : std::conditional_t<(ALGORITHM >= BLOCK_LOAD_TRANSPOSE), typename Exchange::TempStorage, NullType> {};
  BlockLoad() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit BlockLoad(TempStorage& storage) : storage_(storage) {}

  // (from, items[, valid_items[, out_of_bounds]]): without a value for them, items behind the valid ones are undefined.
  template <typename Iterator, typename... Valid>
  void Load(Iterator from, T (&items)[ITEMS_PER_THREAD], Valid... valid) {
    const int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
    if constexpr (ALGORITHM == BLOCK_LOAD_DIRECT || ALGORITHM == BLOCK_LOAD_VECTORIZE) {
      LoadDirectBlocked(thread, from, items, valid...);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<threads>(thread, from, items, valid...);
    } else if constexpr (ALGORITHM == BLOCK_LOAD_TRANSPOSE) {
      LoadDirectStriped<threads>(thread, from, items, valid...);
      Exchange(storage_).StripedToBlocked(items);
    } else {
      LoadDirectWarpStriped(thread, from, items, valid...);
      Exchange(storage_).WarpStripedToBlocked(items);
    }
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
