// cub::BlockMergeSort, and the sort behind it and BlockRadixSort: each thread sorts its items, then the block merges runs of them. It is
// stable, and takes fewer steps than CUB's where threads are not parallel. Replaces CUB's header of this name.
#pragma once

#include "block_exchange.cuh"

#pragma GCC system_header

namespace cub {
namespace detail {

// `Self`: the collective, whose own TempStorage it is.
template <typename Self, typename KeyT, int Threads, int Items, typename ValueT>
struct MergeSort {
  union TempStorage {
    typename BlockExchange<KeyT, Threads, Items>::TempStorage keys;
    typename BlockExchange<ValueT, Threads, Items>::TempStorage values;
  };
  MergeSort() : storage_(storage_of_block<TempStorage>()) {}
  explicit MergeSort(TempStorage& storage) : storage_(storage) {}

 protected:
  // Carried: nothing, or the values of the keys.
  template <bool Striped = false, typename Less, typename... Carried>
  void sort(KeyT (&keys)[Items], Less less, Carried&... carried) {
    for (int i = 1; i < Items; ++i) {
      for (int j = i; j > 0 && less(keys[j], keys[j - 1]); --j) {
        swap(keys, j);
        (swap(carried, j), ...);
      }
    }
    BlockExchange<KeyT, Threads, Items> of_keys(storage_.keys);
    BlockExchange<ValueT, Threads, Items> of_values(storage_.values);
    int ranks[Items];
    for (int run = Items; run < total; run *= 2) {
      merge(keys, less, run, ranks);
      of_keys.ScatterToBlocked(keys, ranks);
      ((__syncthreads(), of_values.ScatterToBlocked(carried, ranks)), ...);
      if (run * 2 < total) __syncthreads();
    }
    if constexpr (Striped) {
      __syncthreads();
      of_keys.BlockedToStriped(keys);
      ((__syncthreads(), of_values.BlockedToStriped(carried)), ...);
    }
  }
  TILELAB_GROUP_QUIET static int first() { return RowMajorTid(Threads, 1, 1) * Items; }

 private:
  template <typename T>
  static void swap(T (&items)[Items], int at) {
    const T item = items[at];
    items[at] = items[at - 1];
    items[at - 1] = item;
  }

  // The ranks of this thread's keys in a run of both neighbours. The keys lie in TempStorage from its end on.
  template <typename Less>
  void merge(const KeyT (&keys)[Items], Less less, int run, int (&ranks)[Items]) {
    for (int i = 0; i < Items; ++i) storage_.keys.items[total - 1 - first() - i] = keys[i];
    __syncthreads();
    const int own = first() / run, begin = (own ^ 1) * run;
    for (int i = 0; i < Items; ++i) {
      int low = begin < total ? begin : total, high = begin + run < total ? begin + run : total;
      const int from = low;
      while (low < high) {
        const int middle = (low + high) / 2;
        const KeyT& other = storage_.keys.items[total - 1 - middle];
        if (own % 2 == 1 ? !less(keys[i], other) : less(other, keys[i]))
          low = middle + 1;
        else
          high = middle;
      }
      ranks[i] = first() + i - own % 2 * run + low - from;
    }
    __syncthreads();
  }

  static constexpr int total = Threads * Items;
  TempStorage& storage_;
};

}  // namespace detail

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1>
class BlockMergeSort : public detail::MergeSort<BlockMergeSort<KeyT, BLOCK_DIM_X, ITEMS_PER_THREAD, ValueT, BLOCK_DIM_Y, BLOCK_DIM_Z>, KeyT,
                                                BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS_PER_THREAD, ValueT> {
  using Keys = KeyT[ITEMS_PER_THREAD];
  using Values = ValueT[ITEMS_PER_THREAD];
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  static_assert((threads & (threads - 1)) == 0, "NUM_THREADS must be a power of two");  // as CUB's own

 public:
  using BlockMergeSort::MergeSort::MergeSort;

  template <typename Less>
  void Sort(Keys& keys, Less less) {
    this->sort(keys, less);
  }
  template <typename Less>
  void Sort(Keys& keys, Values& values, Less less) {
    this->sort(keys, less, values);
  }
  // Keys behind the valid ones are replaced by one that no key comes after.
  template <typename Less>
  void Sort(Keys& keys, Less less, int valid_items, KeyT out_of_bounds) {
    this->sort(filled(keys, valid_items, out_of_bounds), less);
  }
  template <typename Less>
  void Sort(Keys& keys, Values& values, Less less, int valid_items, KeyT out_of_bounds) {
    this->sort(filled(keys, valid_items, out_of_bounds), less, values);
  }
  template <typename... Asked>
  void StableSort(Keys& keys, Asked&&... asked) {
    Sort(keys, asked...);
  }

 private:
  static Keys& filled(Keys& keys, int valid_items, const KeyT& out_of_bounds) {
    for (int i = 0; i < ITEMS_PER_THREAD; ++i)
      if (BlockMergeSort::first() + i >= valid_items) keys[i] = out_of_bounds;
    return keys;
  }
};

}  // namespace cub
