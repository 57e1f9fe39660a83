// cub::BlockShuffle. Replaces CUB's header of this name, which <cub/cub.cuh> does not include.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockShuffle {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Neighbours = detail::Neighbours<T, threads>;

 public:
  using TempStorage = typename Neighbours::TempStorage;
  BlockShuffle() : neighbours_{detail::storage_of_block<TempStorage>()} {}
  explicit BlockShuffle(TempStorage& storage) : neighbours_{storage} {}

  // The output stays as it is where there is no such thread.
  void Offset(T input, T& output, int distance = 1) {
    if (const int from = meet(input) + distance; from >= 0 && from < threads) output = neighbours_.storage.first[from];
  }
  void Rotate(T input, T& output, unsigned int distance = 1) {
    output = neighbours_.storage.first[static_cast<int>((meet(input) + distance) % threads)];
  }
  // Each item goes to the next place; the tile's first stays. What leaves the tile is a suffix for every thread.
  template <int Items>
  void Up(T (&input)[Items], T (&prev)[Items]) {
    neighbours_.meet(input);
    for (int i = Items - 1; i > 0; --i) prev[i] = input[i - 1];
    if (Neighbours::thread() > 0) prev[0] = neighbours_.left();
  }
  template <int Items>
  void Up(T (&input)[Items], T (&prev)[Items], T& block_suffix) {
    Up(input, prev);
    block_suffix = neighbours_.storage.last[threads - 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&prev)[Items]) {
    neighbours_.meet(input);
    for (int i = 0; i < Items - 1; ++i) prev[i] = input[i + 1];
    if (!Neighbours::is_last()) prev[Items - 1] = neighbours_.right();
  }
  template <int Items>
  void Down(T (&input)[Items], T (&prev)[Items], T& block_prefix) {
    Down(input, prev);
    block_prefix = neighbours_.storage.first[0];
  }

 private:
  int meet(T input) {
    neighbours_.meet({input});
    return Neighbours::thread();
  }

  Neighbours neighbours_;
};

}  // namespace cub
