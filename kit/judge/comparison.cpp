#include "judge/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "judge/decision/whereabouts.hpp"
#include "operands/fill.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t first_count = 8;
constexpr std::size_t picture_side = 64;

std::vector<char> mark_elements(std::span<const double> got, const Expectation& expected) {
  std::vector<char> marks(got.size(), '.');
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!is_right(got[i], expected, i)) marks[i] = is_unwritten(got[i]) ? 'o' : '#';
  }
  return marks;
}

std::vector<std::string> draw(const std::vector<char>& marks, const Mismatch& mismatch) {
  const Tile cell = mismatch.cell;
  const auto cells = [](std::size_t length, std::size_t step) { return (length + step - 1) / step; };
  std::vector<std::string> picture(cells(mismatch.rows, cell.rows), std::string(cells(mismatch.columns, cell.columns), '.'));
  for (std::size_t row = 0; row < mismatch.rows; ++row) {
    for (std::size_t column = 0; column < mismatch.columns; ++column) {
      char& shown = picture[row / cell.rows][column / cell.columns];
      const char mark = marks[row * mismatch.columns + column];
      if (mark == '#' || shown == '.') shown = mark;
    }
  }
  return picture;
}

std::optional<double> if_finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

// Written so that a NaN in any operand makes the element wrong, except where it was asked for.
bool is_right(double got, const Expectation& expected, std::size_t index) {
  const double value = expected.values[index];
  if (expected.non_finite && !std::isfinite(value)) return !is_unwritten(got);
  const double bound = expected.bounds.empty() ? 0.0 : expected.bounds[index];
  return std::abs(got - value) <= bound;
}

std::optional<Mismatch> compare(std::span<const double> got, const Expectation& expected, Tile tile) {
  const std::size_t size = expected.rows * expected.columns;
  if (got.size() != size || expected.values.size() != size || !(expected.bounds.empty() || expected.bounds.size() == size)) {
    throw std::logic_error("an output and what it must hold differ in size");
  }
  const std::vector<char> marks = mark_elements(got, expected);
  Mismatch mismatch{.output = {},
                    .rows = expected.rows,
                    .columns = expected.columns,
                    .first = {},
                    .tile = tile,
                    .picture = {},
                    .cell = {},
                    .summary = {}};
  for (std::size_t i = 0; i < size; ++i) {
    if (marks[i] == '.') continue;
    ++mismatch.wrong;
    if (marks[i] == 'o') ++mismatch.unwritten;
    if (mismatch.first.size() == first_count) continue;
    mismatch.first.push_back({i / expected.columns, i % expected.columns, if_finite(expected.values[i]), if_finite(got[i])});
  }
  if (mismatch.wrong == 0) return std::nullopt;
  mismatch.tile = {std::max<std::size_t>(tile.rows, 1), std::max<std::size_t>(tile.columns, 1)};
  const auto step = [](std::size_t length) { return std::max<std::size_t>(1, (length + picture_side - 1) / picture_side); };
  mismatch.cell = {step(expected.rows), step(expected.columns)};
  mismatch.picture = draw(marks, mismatch);
  mismatch.summary = whereabouts(marks, expected.rows, expected.columns, mismatch.tile);
  return mismatch;
}

}  // namespace tilelab::judge
