// Which element of a matrix each lane of a warp holds, as PTX documents it for `mma.sync`: lanes form eight groups of four.
#pragma once

namespace tilelab::simt {

struct TileElement {
  int row = 0, column = 0;
};

// Of 16 rows and any number of columns, `in_word` elements of a row in each register; `at` counts the lane's elements.
constexpr TileElement left_element(int lane, int at, int in_word) {
  const int word = at / in_word, group = lane / 4, within = lane % 4;
  return {group + 8 * (word % 2), within * in_word + at % in_word + word / 2 * 4 * in_word};
}

// Of 8 rows: a left operand of 8 rows, or a right operand of 8 columns with rows and columns exchanged.
constexpr TileElement narrow_element(int lane, int at, int in_word) {
  const int word = at / in_word;
  return {lane / 4, lane % 4 * in_word + at % in_word + word * 4 * in_word};
}

// Of a sum with 8 columns.
constexpr TileElement sum_element(int lane, int at) { return {lane / 4 + 8 * (at / 2), lane % 4 * 2 + at % 2}; }

}  // namespace tilelab::simt
