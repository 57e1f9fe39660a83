// cub::BlockShuffle. Replaces CUB's header of this name, which <cub/cub.cuh> does not include.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockShuffle : detail::Neighbours<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z> {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;
  using Neighbours = detail::Neighbours<T, threads>;

 public:
  using Neighbours::Neighbours;
  using typename Neighbours::TempStorage;

  // The output stays as it is where there is no such thread.
  void Offset(T input, T& output, int distance = 1) {
    if (const int from = place(input) + distance; from >= 0 && from < threads) output = this->storage.first[from];
  }
  void Rotate(T input, T& output, unsigned int distance = 1) {
    output = this->storage.first[static_cast<int>((place(input) + distance) % threads)];
  }
  // Each item goes to the next place; the tile's first stays. What leaves the tile is a suffix for every thread.
  template <int Items>
  void Up(T (&input)[Items], T (&prev)[Items]) {
    this->meet(input);
    for (int i = Items - 1; i > 0; --i) prev[i] = input[i - 1];
    if (Neighbours::thread() > 0) prev[0] = this->left();
  }
  template <int Items>
  void Up(T (&input)[Items], T (&prev)[Items], T& block_suffix) {
    Up(input, prev);
    block_suffix = this->storage.last[threads - 1];
  }
  template <int Items>
  void Down(T (&input)[Items], T (&prev)[Items]) {
    this->meet(input);
    for (int i = 0; i < Items - 1; ++i) prev[i] = input[i + 1];
    if (!Neighbours::is_last()) prev[Items - 1] = this->right();
  }
  template <int Items>
  void Down(T (&input)[Items], T (&prev)[Items], T& block_prefix) {
    Down(input, prev);
    block_prefix = this->storage.first[0];
  }

 private:
  int place(T input) {
    this->meet({input});
    return Neighbours::thread();
  }
};

}  // namespace cub
