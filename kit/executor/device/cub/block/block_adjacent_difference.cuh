// cub::BlockAdjacentDifference. Replaces CUB's header of this name.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockAdjacentDifference : detail::Neighbours<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> {
  using Neighbours = detail::Neighbours<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>;

 public:
  using Neighbours::Neighbours;
  using typename Neighbours::TempStorage;

  // The tile's first item, or its last, is as it is, or has a neighbour in another tile.
  template <int Items, typename Output, typename Operation, typename... Before>
  void SubtractLeft(T (&input)[Items], Output (&output)[Items], Operation operation, Before... tile_predecessor) {
    this->meet(input);
    for (int i = Items - 1; i > 0; --i) output[i] = operation(input[i], input[i - 1]);
    const bool has = Neighbours::thread() != 0 || sizeof...(tile_predecessor) != 0;
    output[0] = has ? operation(input[0], this->left(tile_predecessor...)) : input[0];
  }
  template <int Items, typename Output, typename Operation, typename... Behind>
  void SubtractRight(T (&input)[Items], Output (&output)[Items], Operation operation, Behind... tile_successor) {
    this->meet(input);
    for (int i = 0; i < Items - 1; ++i) output[i] = operation(input[i], input[i + 1]);
    const bool has = !Neighbours::is_last() || sizeof...(tile_successor) != 0;
    output[Items - 1] = has ? operation(input[Items - 1], this->right(tile_successor...)) : input[Items - 1];
  }
};

}  // namespace cub
