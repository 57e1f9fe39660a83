// Numbers as they stand one after the other, also in the order of their values: whether a piece of a result stands among them is found
// without looking at every place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "operands/operand.hpp"

namespace tilelab::judge {

class NumbersInARow {
 public:
  explicit NumbersInARow(std::vector<double> numbers);

  // Whether elements [first, first + count) of `right` stand here in a row. For at least one of them zero must be wrong. `steps` grows by
  // the number of comparisons; at `most_steps` the answer is no.
  bool hold(const Expectation& right, std::size_t first, std::size_t count, std::uint64_t& steps, std::uint64_t most_steps) const;

 private:
  struct Places {
    std::size_t begin = 0, end = 0;  // in `by_value_`
  };
  Places places_of(double value, double bound) const;

  std::vector<double> numbers_;
  std::vector<std::size_t> by_value_;  // places; none of a NaN
};

}  // namespace tilelab::judge
