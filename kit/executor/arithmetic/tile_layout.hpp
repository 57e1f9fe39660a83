// Which element of a matrix each lane of a warp holds, as PTX documents it for `mma.sync`: lanes form eight groups of four.
#pragma once

#include <vector>

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

// A product of small matrices as a tensor core forms it: products are exact, and each element of the result is rounded once, to
// nearest. A GPU cuts off instead, at a place that NVIDIA does not document, so its last bits may differ.

struct TileMatrix {
  int rows = 0, columns = 0;
  std::vector<double> values = std::vector<double>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  double& at(int row, int column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  double at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }
};

// sum + a * b. The products of half, bfloat16, tf32 and 8-bit numbers, and their sums, have room in a double.
inline void add_product(TileMatrix& sum, const TileMatrix& a, const TileMatrix& b) {
  for (int row = 0; row < sum.rows; ++row) {
    for (int k = 0; k < a.columns; ++k) {
      const double left = a.at(row, k);
      for (int column = 0; column < sum.columns; ++column) sum.at(row, column) += left * b.at(k, column);
    }
  }
}

}  // namespace tilelab::simt
