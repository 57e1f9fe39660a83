// cub::BlockDiscontinuity. Replaces CUB's header of this name.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockDiscontinuity : detail::Neighbours<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> {
  using Neighbours = detail::Neighbours<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z>;

 public:
  using Neighbours::Neighbours;
  using typename Neighbours::TempStorage;

  // The operator may take the second item's place in the tile, too. The first head and the last tail are set, or compared with an item
  // of a neighbouring tile.
  template <int Items, typename Flag, typename Operation, typename... Before>
  void FlagHeads(Flag (&head_flags)[Items], T (&input)[Items], Operation operation, Before... tile_predecessor) {
    this->meet(input);
    heads(head_flags, input, operation, tile_predecessor...);
  }
  template <int Items, typename Flag, typename Operation, typename... Behind>
  void FlagTails(Flag (&tail_flags)[Items], T (&input)[Items], Operation operation, Behind... tile_successor) {
    this->meet(input);
    tails(tail_flags, input, operation, tile_successor...);
  }
  template <int Items, typename Flag, typename Operation>
  void FlagHeadsAndTails(Flag (&head_flags)[Items], Flag (&tail_flags)[Items], T (&input)[Items], Operation operation) {
    this->meet(input);
    heads(head_flags, input, operation);
    tails(tail_flags, input, operation);
  }
  template <int Items, typename Flag, typename Operation>
  void FlagHeadsAndTails(Flag (&head_flags)[Items], T tile_predecessor, Flag (&tail_flags)[Items], T tile_successor, T (&input)[Items],
                         Operation operation) {
    this->meet(input);
    heads(head_flags, input, operation, tile_predecessor);
    tails(tail_flags, input, operation, tile_successor);
  }

 private:
  template <typename Operation>
  static bool flag(Operation operation, const T& a, const T& b, int at) {
    if constexpr (std::is_invocable_v<Operation&, const T&, const T&, int>)
      return operation(a, b, at);
    else
      return operation(a, b);
  }
  template <int Items, typename Flag, typename Operation, typename... Before>
  void heads(Flag (&flags)[Items], T (&input)[Items], Operation operation, Before... before) {
    const int first = Neighbours::thread() * Items;
    for (int i = Items - 1; i > 0; --i) flags[i] = flag(operation, input[i - 1], input[i], first + i);
    flags[0] = first != 0 || sizeof...(before) != 0 ? flag(operation, this->left(before...), input[0], first) : 1;
  }
  template <int Items, typename Flag, typename Operation, typename... Behind>
  void tails(Flag (&flags)[Items], T (&input)[Items], Operation operation, Behind... behind) {
    const int first = Neighbours::thread() * Items;
    for (int i = 0; i < Items - 1; ++i) flags[i] = flag(operation, input[i], input[i + 1], first + i + 1);
    const bool has = !Neighbours::is_last() || sizeof...(behind) != 0;
    flags[Items - 1] = has ? flag(operation, input[Items - 1], this->right(behind...), first + Items) : 1;
  }
};

}  // namespace cub
