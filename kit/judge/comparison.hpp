// Compares an output with what it must hold, and describes the difference: how many, the first few, a coarse picture.
// Where they lie in words is whereabouts.hpp's part; whether a difference fails anything is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/trial.hpp"

namespace tilelab::judge {

// Every element of an output holds this quiet NaN before a launch. A NaN that a kernel computes has another payload.
inline constexpr std::uint32_t unwritten_bits = 0x7fc5'1e57;

struct WrongElement {
  std::size_t row = 0, column = 0;
  double expected = 0;
  std::optional<double> got;  // none: never written, or no finite number
};

struct Tile {
  std::size_t rows = 1, columns = 1;
};

struct Mismatch {
  std::string output;  // its name, for the caller to say
  std::size_t rows = 0, columns = 0;
  std::size_t wrong = 0;  // elements that differ, the unwritten ones among them
  std::size_t unwritten = 0;
  std::vector<WrongElement> first;  // at most eight, in row-major order
  Tile tile;                        // the grid to draw over the picture
  // '.' right, '#' wrong, 'o' unwritten; each character covers cell.rows x cell.columns elements, the worst of them shows.
  std::vector<std::string> picture;
  Tile cell;
  std::string summary;
};

// Nothing when every element is right. `got` has rows * columns elements; `tile` is the launch's block.
std::optional<Mismatch> compare(std::span<const float> got, const Expectation& expected, Tile tile);

}  // namespace tilelab::judge
