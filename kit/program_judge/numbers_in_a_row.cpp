#include "program_judge/numbers_in_a_row.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "judge/comparison.hpp"

namespace tilelab::judge {

NumbersInARow::NumbersInARow(std::vector<double> numbers) : numbers_(std::move(numbers)) {
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    if (!std::isnan(numbers_[i])) by_value_.push_back(i);
  std::ranges::sort(by_value_, {}, [&](std::size_t place) { return numbers_[place]; });
}

bool NumbersInARow::hold(const Expectation& right, std::size_t first, std::size_t count, std::uint64_t& steps,
                         std::uint64_t most_steps) const {
  // The rarest of the elements is looked for: its places are few.
  Places rarest{0, by_value_.size() + 1};
  std::size_t anchor = first;
  for (std::size_t i = first; i < first + count; ++i) {
    if (is_right(0.0, right, i)) continue;
    const Places places = places_of(right.values[i], right.bounds.empty() ? 0.0 : right.bounds[i]);
    if (places.end - places.begin >= rarest.end - rarest.begin) continue;
    rarest = places, anchor = i;
  }
  steps += count;
  if (rarest.end > by_value_.size()) return false;
  for (std::size_t i = rarest.begin; i < rarest.end && steps < most_steps; ++i) {
    const std::size_t place = by_value_[i], before = anchor - first;
    if (place < before || place - before + count > numbers_.size()) continue;
    std::size_t same = 0;
    while (same < count && is_right(numbers_[place - before + same], right, first + same)) ++same;
    steps += same + 1;
    if (same == count) return true;
  }
  return false;
}

NumbersInARow::Places NumbersInARow::places_of(double value, double bound) const {
  const auto number = [&](std::size_t place) { return numbers_[place]; };
  const double wide = bound + std::abs(value) * 1e-15;  // value ± bound is rounded
  const auto from = std::ranges::lower_bound(by_value_, value - wide, {}, number);
  const auto to = std::ranges::upper_bound(from, by_value_.end(), value + wide, {}, number);
  return {static_cast<std::size_t>(from - by_value_.begin()), static_cast<std::size_t>(to - by_value_.begin())};
}

}  // namespace tilelab::judge
