// Compares an output with the expected values and describes the difference: how many elements, the first few, a coarse picture.
// whereabouts() says in words where they lie. The caller decides whether a difference is a failure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/trial.hpp"

namespace tilelab::judge {

// Whether the element at `index` of a result may be `got`. `got` may be unwritten_value(): see operands/operand.hpp.
bool is_right(double got, const Expectation& expected, std::size_t index);

struct WrongElement {
  std::size_t row = 0, column = 0;
  std::optional<double> expected;  // none: Inf or NaN
  std::optional<double> got;       // none: never written, or not a finite number
};

struct Tile {
  std::size_t rows = 1, columns = 1;
};

struct Mismatch {
  std::string output;  // the output's name; the caller sets it
  std::size_t rows = 0, columns = 0;
  std::size_t wrong = 0;  // elements that differ, including unwritten ones
  std::size_t unwritten = 0;
  std::vector<WrongElement> first;              // at most eight, in row-major order
  std::size_t tile_rows = 1, tile_columns = 1;  // the grid to draw over the picture
  // '.' right, '#' wrong, 'o' unwritten. Each character covers cell_rows x cell_columns elements and shows the worst of them.
  std::vector<std::string> picture;
  std::size_t cell_rows = 1, cell_columns = 1;
  std::string summary;
};

// Returns nothing if every element is right. `got` has rows * columns elements; `tile` is the launch's block.
std::optional<Mismatch> compare(std::span<const double> got, const Expectation& expected, Tile tile);

// Says in words where wrong elements lie, relative to the edges and the tile grid of an output. It only describes: it does not
// name a cause.

// `marks` is row-major, '.' where an element is right. At least one is not.
std::string whereabouts(const std::vector<char>& marks, std::size_t rows, std::size_t columns, Tile tile);

}  // namespace tilelab::judge
