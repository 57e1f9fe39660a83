// One launch of C = A·B as a mistake sees it: sizes, inputs by their linear index, and sums of chosen products. If an index is
// past an input's end, the sum is unknown, because nobody knows what lies there.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "judge/mistake.hpp"

namespace tilelab::matmul {

inline constexpr unsigned largest_side = 1024;  // of a block; a submission may give any numbers
inline constexpr double rounding = 0x1p-24;     // u of fp32

// The error bound of an element. It has `terms` products, whose absolute values sum to `magnitude`.
inline double close_bound(double magnitude, std::size_t terms) { return 4 * std::sqrt(static_cast<double>(terms)) * rounding * magnitude; }

struct Product {
  std::size_t M, N, K;
  const std::vector<double>&A, &B;
  bool exact;
  // Usual sides of tiles, and the sides of the submission's block.
  std::array<std::size_t, 5> tiles;
  std::size_t block_x, block_y, grid_x, grid_y;

  Product(const judge::Trial& trial, const protocol::LaunchConfig& config)
      : M(side(trial, 3)), N(side(trial, 4)), K(side(trial, 5)), A(trial.operands[0].values), B(trial.operands[1].values),
        exact(trial.operands[2].expectation.bounds.empty()), block_x(std::clamp(config.block.x, 1u, largest_side)),
        block_y(std::clamp(config.block.y, 1u, largest_side)), grid_x(config.grid.x), grid_y(config.grid.y) {
    tiles = {8, 16, 32, block_x, block_y};
  }

  judge::Guess value(double sum, double magnitude, std::size_t terms) const {
    return {judge::Guess::State::value, sum, exact ? 0.0 : close_bound(magnitude, std::max<std::size_t>(terms, 1))};
  }

  // The sum over k in [first, end) of A[a_index(k)] · B[b_index(k)].
  template <class AIndex, class BIndex>
  judge::Guess sum(std::size_t first, std::size_t end, AIndex a_index, BIndex b_index) const {
    double total = 0, magnitude = 0;
    for (std::size_t k = first; k < end; ++k) {
      const std::size_t a = a_index(k), b = b_index(k);
      if (a == zero || b == zero) continue;
      if (a >= A.size() || b >= B.size()) return {};
      const double product = A[a] * B[b];
      total += product;
      magnitude += std::abs(product);
    }
    return value(total, magnitude, end > first ? end - first : 0);
  }

  // A[i][first..end) · B[first..end)[j].
  judge::Guess part(std::size_t i, std::size_t j, std::size_t first, std::size_t end) const {
    return sum(first, end, [&](std::size_t k) { return i * K + k; }, [&](std::size_t k) { return k * N + j; });
  }

  judge::Guess right(std::size_t i, std::size_t j) const { return part(i, j, 0, K); }

  static constexpr std::size_t zero =
      static_cast<std::size_t>(-1);  // as an index: this element counts as 0, like a tile's element past the matrix's edge

 private:
  static std::size_t side(const judge::Trial& trial, std::size_t index) {
    return static_cast<std::size_t>(trial.operands.at(index).number);
  }
};

}  // namespace tilelab::matmul
