// Reductions over a tile of a warp, or over lanes that run together. Replaces CUDA's header of this name.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every thread of the tile gets the same value.
template <unsigned int Size, typename Parent, typename T, typename Operation>
T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation operation) {
  for (int distance = Size / 2; distance > 0; distance /= 2) value = operation(value, tile.shfl_xor(value, distance));
  return value;
}

template <typename T, typename Operation>
T reduce(const coalesced_group& group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups
