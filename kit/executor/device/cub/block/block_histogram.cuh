// cub::BlockHistogram. Replaces CUB's header of this name. Both algorithms count with atomics here.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <typename T, int BLOCK_DIM_X, int ITEMS_PER_THREAD, int BINS, BlockHistogramAlgorithm ALGORITHM = BLOCK_HISTO_SORT,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockHistogram {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  struct TempStorage : std::conditional_t<ALGORITHM == BLOCK_HISTO_SORT, detail::Slots<T, threads>, NullType> {};
  BlockHistogram() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit BlockHistogram(TempStorage& storage) : storage_(storage) {}

  template <typename Counter>
  void InitHistogram(Counter histogram[BINS]) {
    for (int bin = thread(); bin < BINS; bin += threads) histogram[bin] = 0;
  }
  // A sort has barriers between what was done before and the counting.
  template <typename Counter>
  void Composite(T (&items)[ITEMS_PER_THREAD], Counter histogram[BINS]) {
    if constexpr (ALGORITHM == BLOCK_HISTO_SORT) {
      storage_[thread()] = items[0];
      __syncthreads();
    }
    for (const T& item : items) atomicAdd(&histogram[item], Counter{1});
  }
  template <typename Counter>
  void Histogram(T (&items)[ITEMS_PER_THREAD], Counter histogram[BINS]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }

 private:
  static int thread() { return RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z); }

  TempStorage& storage_;
};

}  // namespace cub
