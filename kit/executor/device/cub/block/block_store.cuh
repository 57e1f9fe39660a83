// cub::BlockStore and the functions behind it. Replaces CUB's header of this name. A store of vectors writes element by element.
#pragma once

#include "block_exchange.cuh"

#pragma GCC system_header

namespace cub {

template <typename Iterator, typename T, int ITEMS_PER_THREAD>
void StoreDirectBlocked(int linear_tid, Iterator to, const T (&items)[ITEMS_PER_THREAD], int valid_items = INT_MAX) {
  detail::store<detail::blocked, 0>(linear_tid, to, items, valid_items);
}
template <int BLOCK_THREADS, typename Iterator, typename T, int ITEMS_PER_THREAD>
void StoreDirectStriped(int linear_tid, Iterator to, const T (&items)[ITEMS_PER_THREAD], int valid_items = INT_MAX) {
  detail::store<detail::striped, BLOCK_THREADS>(linear_tid, to, items, valid_items);
}
template <typename Iterator, typename T, int ITEMS_PER_THREAD>
void StoreDirectWarpStriped(int linear_tid, Iterator to, const T (&items)[ITEMS_PER_THREAD], int valid_items = INT_MAX) {
  detail::store<detail::warp_striped, 0>(linear_tid, to, items, valid_items);
}

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockStore {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Exchange = BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  struct TempStorage : std::conditional_t<(ALGORITHM >= BLOCK_STORE_TRANSPOSE), typename Exchange::TempStorage, NullType> {};
  BlockStore() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit BlockStore(TempStorage& storage) : storage_(storage) {}

  template <typename Iterator>
  void Store(Iterator to, T (&items)[ITEMS_PER_THREAD], int valid_items = INT_MAX) {
    constexpr detail::Arrangement to_memory = detail::in_memory(ALGORITHM);
    if constexpr (ALGORITHM >= BLOCK_STORE_TRANSPOSE) Exchange(storage_).template move<detail::blocked, to_memory>(items, items);
    detail::store<to_memory, threads>(RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z), to, items, valid_items);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
