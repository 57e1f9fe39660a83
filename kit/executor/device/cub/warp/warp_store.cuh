// cub::WarpStore. Replaces CUB's header of this name. A store of vectors writes element by element.
#pragma once

#include "warp_exchange.cuh"

#pragma GCC system_header

namespace cub {

enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

template <typename T, int ITEMS_PER_THREAD, WarpStoreAlgorithm ALGORITHM = WARP_STORE_DIRECT, int LOGICAL_WARP_THREADS = 32,
          int /*LEGACY_PTX_ARCH*/ = 0>
class WarpStore {
  using Exchange = WarpExchange<T, ITEMS_PER_THREAD, LOGICAL_WARP_THREADS>;

 public:
  struct TempStorage : std::conditional_t<ALGORITHM == WARP_STORE_TRANSPOSE, typename Exchange::TempStorage, NullType> {};
  WarpStore() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit WarpStore(TempStorage& storage) : storage_(storage) {}

  template <typename Iterator>
  void Store(Iterator to, T (&items)[ITEMS_PER_THREAD], int valid_items = INT_MAX) {
    constexpr detail::Arrangement to_memory = detail::in_memory(ALGORITHM);
    if constexpr (ALGORITHM == WARP_STORE_TRANSPOSE) Exchange(storage_).BlockedToStriped(items, items);
    detail::store<to_memory, LOGICAL_WARP_THREADS>(detail::Lanes<LOGICAL_WARP_THREADS>::rank(), to, items, valid_items);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
