// Reductions over a tile of a warp, or over lanes that run together. Replaces CUDA's header of this name.
#pragma once

#include <cooperative_groups.h>

namespace cooperative_groups {

#define TILELAB_OPERATION(name, result)             \
  template <typename T>                             \
  struct name {                                     \
    T operator()(T a, T b) const { return result; } \
  };
TILELAB_OPERATION(plus, a + b)
TILELAB_OPERATION(less, b < a ? b : a)
TILELAB_OPERATION(greater, a < b ? b : a)
TILELAB_OPERATION(bit_and, a& b)
TILELAB_OPERATION(bit_or, a | b)
TILELAB_OPERATION(bit_xor, a ^ b)
#undef TILELAB_OPERATION

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
