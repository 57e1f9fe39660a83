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
    constexpr detail::Arrangement from_memory = detail::in_memory(ALGORITHM);
    detail::load<from_memory, threads>(RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z), from, items, valid...);
    if constexpr (ALGORITHM >= BLOCK_LOAD_TRANSPOSE) Exchange(storage_).template move<from_memory, detail::blocked>(items, items);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
