// cub::BlockRadixSort. Replaces CUB's header of this name. The result is that of a stable radix sort. Here each thread sorts its items, and
// the block then merges runs of them, which takes fewer steps where threads are not parallel.
#pragma once

#include "block_exchange.cuh"
#include "block_scan.cuh"

#pragma GCC system_header

namespace cub {

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int /*RADIX_BITS*/ = 4,
          bool /*MEMOIZE_OUTER_SCAN*/ = true, BlockScanAlgorithm /*INNER_SCAN_ALGORITHM*/ = BLOCK_SCAN_WARP_SCANS, int /*SMEM_CONFIG*/ = 0,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockRadixSort {
  static constexpr int total = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z * ITEMS_PER_THREAD, key_bits = int{sizeof(KeyT)} * 8;
  using Keys = KeyT[ITEMS_PER_THREAD];
  using Values = ValueT[ITEMS_PER_THREAD];
  template <typename T>
  using Exchange = BlockExchange<T, BLOCK_DIM_X, ITEMS_PER_THREAD, false, BLOCK_DIM_Y, BLOCK_DIM_Z>;

 public:
  union TempStorage {
    typename Exchange<KeyT>::TempStorage keys;
    typename Exchange<ValueT>::TempStorage values;
  };
  BlockRadixSort() : storage_(detail::storage_of_block<TempStorage>()) {}
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

#define TILELAB_SORT(name, descends, is_striped)                                                                                    \
  void name(Keys& keys, int begin_bit = 0, int end_bit = key_bits) { sort<is_striped>(keys, Order<descends>{begin_bit, end_bit}); } \
  void name(Keys& keys, Values& values, int begin_bit = 0, int end_bit = key_bits) {                                                \
    sort<is_striped>(keys, Order<descends>{begin_bit, end_bit}, values);                                                            \
  }
  TILELAB_SORT(Sort, false, false)
  TILELAB_SORT(SortDescending, true, false)
  TILELAB_SORT(SortBlockedToStriped, false, true)
  TILELAB_SORT(SortDescendingBlockedToStriped, true, true)
#undef TILELAB_SORT

 private:
  // The bits of a key by which CUB sorts, as an unsigned number. Both zeros are equal.
  template <bool Descends>
  struct Order {
    int begin_bit, end_bit;
    TILELAB_GROUP_QUIET unsigned long long operator()(KeyT key) const {
      using Bits = std::conditional_t<
          sizeof(KeyT) == 8, unsigned long long,
          std::conditional_t<sizeof(KeyT) == 4, unsigned int, std::conditional_t<sizeof(KeyT) == 2, unsigned short, unsigned char>>>;
      constexpr Bits sign = static_cast<Bits>(1ull << (key_bits - 1));
      Bits bits = __builtin_bit_cast(Bits, key);
      if constexpr (!std::is_integral_v<KeyT>)
        bits = bits == sign ? sign : static_cast<Bits>(bits ^ ((bits & sign) != 0 ? ~Bits{0} : sign));
      else if constexpr (std::is_signed_v<KeyT>)
        bits = static_cast<Bits>(bits ^ sign);
      if (Descends) bits = static_cast<Bits>(~bits);
      const int count = end_bit - begin_bit;
      return count <= 0 ? 0 : static_cast<unsigned long long>(bits) >> begin_bit & ~0ull >> (64 - count);
    }
  };

  template <bool Striped, typename Order, typename... Carried>
  void sort(Keys& keys, Order order, Carried&... carried) {
    for (int i = 1; i < ITEMS_PER_THREAD; ++i) {
      for (int j = i; j > 0 && order(keys[j]) < order(keys[j - 1]); --j) {
        swap(keys, j);
        (swap(carried, j), ...);
      }
    }
    int ranks[ITEMS_PER_THREAD];
    for (int run = ITEMS_PER_THREAD; run < total; run *= 2) {
      merge(keys, order, run, ranks);
      Exchange<KeyT>(storage_.keys).ScatterToBlocked(keys, ranks);
      ((__syncthreads(), Exchange<ValueT>(storage_.values).ScatterToBlocked(carried, ranks)), ...);
      if (run * 2 < total) __syncthreads();
    }
    if constexpr (Striped) {
      __syncthreads();
      Exchange<KeyT>(storage_.keys).BlockedToStriped(keys);
      ((__syncthreads(), Exchange<ValueT>(storage_.values).BlockedToStriped(carried)), ...);
    }
  }

  template <typename Items>
  static void swap(Items& items, int at) {
    const auto item = items[at];
    items[at] = items[at - 1];
    items[at - 1] = item;
  }

  // The ranks of this thread's keys in a run of both neighbours. The keys lie in TempStorage from its end on.
  template <typename Order>
  void merge(const Keys& keys, Order order, int run, int (&ranks)[ITEMS_PER_THREAD]) {
    const int first = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z) * ITEMS_PER_THREAD;
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) storage_.keys.items[total - 1 - first - i] = keys[i];
    __syncthreads();
    const int own = first / run, begin = (own ^ 1) * run;
    for (int i = 0; i < ITEMS_PER_THREAD; ++i) {
      const unsigned long long key = order(keys[i]);
      int low = begin < total ? begin : total, high = begin + run < total ? begin + run : total;
      const int from = low;
      while (low < high) {
        const int middle = (low + high) / 2;
        const unsigned long long other = order(storage_.keys.items[total - 1 - middle]);
        if (other < key || (other == key && own % 2 == 1))
          low = middle + 1;
        else
          high = middle;
      }
      ranks[i] = first + i - own % 2 * run + low - from;
    }
    __syncthreads();
  }

  TempStorage& storage_;
};

}  // namespace cub
