// cub::BlockRadixSort. Replaces CUB's header of this name. The result is that of a stable radix sort: of a merge sort by those bits.
#pragma once

#include "block_merge_sort.cuh"
#include "block_scan.cuh"

#pragma GCC system_header

namespace cub {

template <typename KeyT, int BLOCK_DIM_X, int ITEMS_PER_THREAD, typename ValueT = NullType, int RADIX_BITS = 4,
          bool MEMOIZE_OUTER_SCAN = true, BlockScanAlgorithm INNER_SCAN_ALGORITHM = BLOCK_SCAN_WARP_SCANS, int SMEM_CONFIG = 0,
          int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int LEGACY_PTX_ARCH = 0>
class BlockRadixSort
    : public detail::MergeSort<BlockRadixSort<KeyT, BLOCK_DIM_X, ITEMS_PER_THREAD, ValueT, RADIX_BITS, MEMOIZE_OUTER_SCAN,
                                              INNER_SCAN_ALGORITHM, SMEM_CONFIG, BLOCK_DIM_Y, BLOCK_DIM_Z, LEGACY_PTX_ARCH>,
                               KeyT, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS_PER_THREAD, ValueT> {
  static constexpr int key_bits = int{sizeof(KeyT)} * 8;
  using Keys = KeyT[ITEMS_PER_THREAD];
  using Values = ValueT[ITEMS_PER_THREAD];

 public:
  using BlockRadixSort::MergeSort::MergeSort;

#define TILELAB_SORT(name, descends, is_striped)                                       \
  void name(Keys& keys, int begin_bit = 0, int end_bit = key_bits) {                   \
    this->template sort<is_striped>(keys, Less<descends>{begin_bit, end_bit});         \
  }                                                                                    \
  void name(Keys& keys, Values& values, int begin_bit = 0, int end_bit = key_bits) {   \
    this->template sort<is_striped>(keys, Less<descends>{begin_bit, end_bit}, values); \
  }
  TILELAB_SORT(Sort, false, false)
  TILELAB_SORT(SortDescending, true, false)
  TILELAB_SORT(SortBlockedToStriped, false, true)
  TILELAB_SORT(SortDescendingBlockedToStriped, true, true)
#undef TILELAB_SORT

 private:
  // By the bits of a key by which CUB sorts, as an unsigned number. Both zeros are equal.
  template <bool Descends>
  struct Less {
    int begin_bit, end_bit;
    TILELAB_GROUP_QUIET bool operator()(KeyT a, KeyT b) const { return bits_of(a) < bits_of(b); }
    TILELAB_GROUP_QUIET unsigned long long bits_of(KeyT key) const {
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
};

}  // namespace cub
