#include "judge/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>

#include "operands/operand.hpp"

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
  const Tile cell{mismatch.cell_rows, mismatch.cell_columns};
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

std::string number(std::size_t value) { return std::to_string(value); }

std::string plural(std::size_t count, const std::string& noun) { return count == 1 ? noun : number(count) + " " + noun + "s"; }

// The wrong elements, and what the sentences below need to know about them.
struct Wrong {
  std::size_t rows, columns, count = 0;
  Tile tile;
  const std::vector<char>& marks;
  std::set<std::size_t> in_rows, in_columns;  // the rows and columns that hold at least one wrong element

  Wrong(const std::vector<char>& marks, std::size_t rows, std::size_t columns, Tile tile)
      : rows(rows), columns(columns), tile(tile), marks(marks) {
    each([this](std::size_t row, std::size_t column) {
      ++count;
      in_rows.insert(row);
      in_columns.insert(column);
      return true;
    });
  }

  // Whether `holds` is true of every wrong element.
  bool each(const std::function<bool(std::size_t row, std::size_t column)>& holds) const {
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != '.' && !holds(i / columns, i % columns)) return false;
    }
    return true;
  }

  // "every element of " if the number of wrong elements is `size`, the region's size; else "only in ".
  std::string of(std::size_t size) const { return count == size ? "every element of " : "only in "; }
};

// Every element, one element, or a pattern over the whole matrix.
std::optional<std::string> whole(const Wrong& wrong) {
  if (wrong.count == wrong.rows * wrong.columns) return "every element";
  const std::size_t right = wrong.rows * wrong.columns - wrong.count;
  if (wrong.count == 1)
    return "only the element in row " + number(*wrong.in_rows.begin()) + ", column " + number(*wrong.in_columns.begin());
  const std::size_t diagonal = std::min(wrong.rows, wrong.columns);
  if (diagonal > 2 && wrong.count == wrong.rows * wrong.columns - diagonal &&
      wrong.each([](std::size_t row, std::size_t column) { return row != column; })) {
    return "every element except those on the diagonal";
  }
  // So few that they may be right by chance, because small integers repeat.
  if (right * 20 <= wrong.count) return "every element except " + number(right);
  return std::nullopt;
}

// Where the last tile extends past the edge of the matrix.
std::optional<std::string> past_full_tiles(const Wrong& wrong) {
  const auto [tile_rows, tile_columns] = wrong.tile;
  const std::size_t full_rows = wrong.rows / tile_rows * tile_rows, full_columns = wrong.columns / tile_columns * tile_columns;
  const bool ragged_rows = tile_rows > 1 && full_rows < wrong.rows && full_rows > 0;
  const bool ragged_columns = tile_columns > 1 && full_columns < wrong.columns && full_columns > 0;
  if (ragged_rows && *wrong.in_rows.begin() >= full_rows) {
    const std::size_t left = wrong.rows - full_rows;
    return wrong.of(left * wrong.columns) + "the last " + plural(left, "row") + ", below the last full tile of " + number(tile_rows) +
           " rows";
  }
  if (ragged_columns && *wrong.in_columns.begin() >= full_columns) {
    const std::size_t left = wrong.columns - full_columns;
    return wrong.of(left * wrong.rows) + "the last " + plural(left, "column") + ", right of the last full tile of " + number(tile_columns) +
           " columns";
  }
  if (ragged_rows && ragged_columns &&
      wrong.each([&](std::size_t row, std::size_t column) { return row >= full_rows || column >= full_columns; })) {
    const std::size_t outside = wrong.rows * wrong.columns - full_rows * full_columns;
    return wrong.of(outside) + "the rows and columns that lie outside all full " + number(tile_rows) + "x" + number(tile_columns) +
           " tiles";
  }
  return std::nullopt;
}

// Which tiles hold wrong elements.
struct InTiles {
  std::size_t row, column;    // the first tile row and the first tile column with a wrong element
  std::size_t height, width;  // of the tile there, cut off at the edge
  bool one_row, one_column;   // no other tile row or column holds any, and there are others
};

InTiles in_tiles(const Wrong& wrong) {
  const auto [tile_rows, tile_columns] = wrong.tile;
  const std::size_t row = *wrong.in_rows.begin() / tile_rows, column = *wrong.in_columns.begin() / tile_columns;
  return {.row = row,
          .column = column,
          .height = std::min(wrong.rows, (row + 1) * tile_rows) - row * tile_rows,
          .width = std::min(wrong.columns, (column + 1) * tile_columns) - column * tile_columns,
          .one_row = tile_rows > 1 && wrong.rows > tile_rows && *wrong.in_rows.rbegin() / tile_rows == row,
          .one_column = tile_columns > 1 && wrong.columns > tile_columns && *wrong.in_columns.rbegin() / tile_columns == column};
}

std::optional<std::string> one_tile(const Wrong& wrong) {
  const InTiles in = in_tiles(wrong);
  if (!in.one_row || !in.one_column) return std::nullopt;
  return wrong.of(in.height * in.width) + "the tile of block (" + number(in.column) + "," + number(in.row) + ")";
}

std::optional<std::string> lines_of_tiles(const Wrong& wrong) {
  const InTiles in = in_tiles(wrong);
  if (in.one_row && wrong.in_rows.size() > 1) return wrong.of(in.height * wrong.columns) + "tile row " + number(in.row);
  if (in.one_column && wrong.in_columns.size() > 1) return wrong.of(in.width * wrong.rows) + "tile column " + number(in.column);
  const auto [tile_rows, tile_columns] = wrong.tile;
  if (tile_rows < 2 || tile_columns < 2) return std::nullopt;
  if (!wrong.each([&](std::size_t row, std::size_t column) { return row >= tile_rows || column >= tile_columns; })) return std::nullopt;
  return wrong.of(wrong.rows * wrong.columns - std::min(tile_rows, wrong.rows) * std::min(tile_columns, wrong.columns)) +
         "the tiles of blocks other than (0, 0)";
}

// Consecutive rows or columns at an edge, or a single row or column.
std::optional<std::string> at_edges(const Wrong& wrong, const std::set<std::size_t>& lines, std::size_t length, std::size_t line_elements,
                                    const std::string& noun) {
  const std::size_t first = *lines.begin(), last = *lines.rbegin(), count = lines.size();
  if (count != last - first + 1 || count * 2 > length) return std::nullopt;
  const std::string of = wrong.of(count * line_elements);
  if (last + 1 == length) return of + "the last " + plural(count, noun);
  if (first == 0) return of + "the first " + plural(count, noun);
  if (count == 1) return of + noun + " " + number(first);
  return std::nullopt;
}

// The same row or column of every tile, as when some threads of each block do not do their part.
std::optional<std::string> in_step(const Wrong& wrong, const std::set<std::size_t>& lines, std::size_t length, std::size_t line_elements,
                                   std::size_t tile_side, const std::string& noun) {
  if (tile_side < 2 || length <= tile_side) return std::nullopt;
  std::set<std::size_t> places;
  for (const std::size_t line : lines) places.insert(line % tile_side);
  if (places.size() != 1) return std::nullopt;
  const std::size_t place = *places.begin(), all = (length - place + tile_side - 1) / tile_side;
  return wrong.of(all * line_elements) + noun + " " + number(place) + " of each tile";
}

// An output of one row is a list to most kernels: it has elements, and no columns.
std::string in_a_list(const Wrong& wrong) {
  if (wrong.columns == 1) return "its only element";
  if (wrong.count == wrong.columns) return "every element";
  if (wrong.count == 1) return "only element " + number(*wrong.in_columns.begin());
  const std::size_t first = *wrong.in_columns.begin(), last = *wrong.in_columns.rbegin();
  if (last - first + 1 == wrong.count && last + 1 == wrong.columns) return "the last " + number(wrong.count) + " elements";
  if (last - first + 1 == wrong.count && first == 0) return "the first " + number(wrong.count) + " elements";
  const std::size_t right = wrong.columns - wrong.count;
  if (right * 20 <= wrong.count) return "every element except " + number(right);
  return "scattered over elements " + number(first) + " to " + number(last);
}

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
  Mismatch mismatch;
  mismatch.rows = expected.rows;
  mismatch.columns = expected.columns;
  for (std::size_t i = 0; i < size; ++i) {
    if (marks[i] == '.') continue;
    ++mismatch.wrong;
    if (marks[i] == 'o') ++mismatch.unwritten;
    if (mismatch.first.size() == first_count) continue;
    mismatch.first.push_back({i / expected.columns, i % expected.columns, if_finite(expected.values[i]), if_finite(got[i])});
  }
  if (mismatch.wrong == 0) return std::nullopt;
  mismatch.tile_rows = std::max<std::size_t>(tile.rows, 1);
  mismatch.tile_columns = std::max<std::size_t>(tile.columns, 1);
  const auto step = [](std::size_t length) { return std::max<std::size_t>(1, (length + picture_side - 1) / picture_side); };
  mismatch.cell_rows = step(expected.rows);
  mismatch.cell_columns = step(expected.columns);
  mismatch.picture = draw(marks, mismatch);
  mismatch.summary = whereabouts(marks, expected.rows, expected.columns, {mismatch.tile_rows, mismatch.tile_columns});
  return mismatch;
}

std::string whereabouts(const std::vector<char>& marks, std::size_t rows, std::size_t columns, Tile tile) {
  const Wrong wrong(marks, rows, columns, tile);
  if (rows == 1) return in_a_list(wrong);
  if (const auto words = whole(wrong)) return *words;
  if (const auto words = past_full_tiles(wrong)) return *words;
  if (const auto words = one_tile(wrong)) return *words;
  if (const auto words = at_edges(wrong, wrong.in_rows, rows, columns, "row")) return *words;
  if (const auto words = at_edges(wrong, wrong.in_columns, columns, rows, "column")) return *words;
  if (const auto words = in_step(wrong, wrong.in_rows, rows, columns, tile.rows, "row")) return *words;
  if (const auto words = in_step(wrong, wrong.in_columns, columns, rows, tile.columns, "column")) return *words;
  if (const auto words = lines_of_tiles(wrong)) return *words;
  return "scattered over rows " + number(*wrong.in_rows.begin()) + " to " + number(*wrong.in_rows.rbegin()) + " and columns " +
         number(*wrong.in_columns.begin()) + " to " + number(*wrong.in_columns.rbegin());
}

}  // namespace tilelab::judge
