// A product of small matrices as a tensor core forms it: products are exact, and each element of the result is rounded once, to
// nearest. A GPU cuts off instead, at a place that NVIDIA does not document, so its last bits may differ.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

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
