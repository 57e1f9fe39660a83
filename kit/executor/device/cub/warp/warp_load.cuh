// cub::WarpLoad. Replaces CUB's header of this name. A load of vectors reads element by element.
#pragma once

#include "warp_exchange.cuh"

#pragma GCC system_header

namespace cub {

enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };

template <typename T, int ITEMS_PER_THREAD, WarpLoadAlgorithm ALGORITHM = WARP_LOAD_DIRECT, int LOGICAL_WARP_THREADS = 32,
          int /*LEGACY_PTX_ARCH*/ = 0>
class WarpLoad {
  using Exchange = WarpExchange<T, ITEMS_PER_THREAD, LOGICAL_WARP_THREADS>;

 public:
  struct TempStorage : std::conditional_t<ALGORITHM == WARP_LOAD_TRANSPOSE, typename Exchange::TempStorage, NullType> {};
  WarpLoad() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit WarpLoad(TempStorage& storage) : storage_(storage) {}

  // (from, items[, valid_items[, out_of_bounds]]): without a value for them, items behind the valid ones are undefined.
  template <typename Iterator, typename... Valid>
  void Load(Iterator from, T (&items)[ITEMS_PER_THREAD], Valid... valid) {
    constexpr detail::Arrangement from_memory = detail::in_memory(ALGORITHM);
    detail::load<from_memory, LOGICAL_WARP_THREADS>(detail::Lanes<LOGICAL_WARP_THREADS>::rank(), from, items, valid...);
    if constexpr (ALGORITHM == WARP_LOAD_TRANSPOSE) Exchange(storage_).StripedToBlocked(items, items);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
