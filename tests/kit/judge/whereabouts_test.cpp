// The place of wrong elements is described in words that lead to the mistake.
#include "judge/comparison.hpp"

#include <functional>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::judge;

namespace {

using Rule = std::function<bool(std::size_t row, std::size_t column)>;

std::string words(std::size_t rows, std::size_t columns, Tile tile, const Rule& is_wrong) {
  std::vector<char> marks(rows * columns, '.');
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (is_wrong(i / columns, i % columns)) marks[i] = '#';
  }
  return whereabouts(marks, rows, columns, tile);
}

constexpr Tile square{16, 16};

}  // namespace

TEST_CASE("everything, one element and everything off the diagonal are named as such", "[whereabouts]") {
  CHECK(words(20, 30, square, [](auto, auto) { return true; }) == "every element");
  CHECK(words(20, 30, square, [](auto r, auto c) { return r == 3 && c == 29; }) == "only the element in row 3, column 29");
  CHECK(words(20, 30, square, [](auto r, auto c) { return r + c != 9; }) == "every element except 10");
  CHECK(words(30, 30, square, [](auto r, auto c) { return r != c; }) == "every element except those on the diagonal");
}

TEST_CASE("what lies past the last full tile is named by the tile", "[whereabouts]") {
  CHECK(words(33, 17, square, [](auto r, auto) { return r >= 32; }) ==
        "every element of the last row, below the last full tile of 16 rows");
  CHECK(words(36, 32, square, [](auto r, auto c) { return r >= 32 && c % 2 == 0; }) ==
        "only in the last 4 rows, below the last full tile of 16 rows");
  CHECK(words(32, 35, square, [](auto, auto c) { return c >= 32; }) ==
        "every element of the last 3 columns, right of the last full tile of 16 columns");
  CHECK(words(33, 35, square, [](auto r, auto c) { return r >= 32 || c >= 32; }) ==
        "every element of the rows and columns that lie outside all full 16x16 tiles");
  CHECK(words(33, 35, square, [](auto r, auto c) { return (r >= 32) != (c >= 32); }) ==
        "only in the rows and columns that lie outside all full 16x16 tiles");
}

TEST_CASE("without a full tile, the edge is named by itself", "[whereabouts]") {
  CHECK(words(9, 9, square, [](auto, auto c) { return c == 8; }) == "every element of the last column");
}

TEST_CASE("rows and columns at an edge are counted", "[whereabouts]") {
  CHECK(words(32, 32, square, [](auto, auto c) { return c >= 29; }) == "every element of the last 3 columns");
  CHECK(words(32, 32, square, [](auto r, auto) { return r == 0; }) == "every element of the first row");
  CHECK(words(32, 32, square, [](auto r, auto c) { return r == 7 && c > 3; }) == "only in row 7");
}

TEST_CASE("whole tiles are named by their block, row or column", "[whereabouts]") {
  const auto in = [](std::size_t line, std::size_t tile) { return line / 16 == tile; };
  CHECK(words(48, 48, square, [&](auto r, auto c) { return in(r, 1) && in(c, 2); }) == "every element of the tile of block (2,1)");
  CHECK(words(48, 48, square, [&](auto r, auto) { return in(r, 1); }) == "every element of tile row 1");
  CHECK(words(48, 48, square, [&](auto, auto c) { return in(c, 1); }) == "every element of tile column 1");
  CHECK(words(48, 48, square, [&](auto r, auto c) { return r >= 16 || c >= 16; }) ==
        "every element of the tiles of blocks other than (0, 0)");
}

TEST_CASE("the same row or column of every tile is recognised", "[whereabouts]") {
  CHECK(words(48, 48, square, [](auto, auto c) { return c % 16 == 15; }) == "every element of column 15 of each tile");
  CHECK(words(48, 48, square, [](auto r, auto c) { return r % 16 == 0 && c > 5; }) == "only in row 0 of each tile");
}

TEST_CASE("a linear block has no rows of tiles to speak of", "[whereabouts]") {
  CHECK(words(10, 300, {1, 256}, [](auto, auto c) { return c >= 256; }) ==
        "every element of the last 44 columns, right of the last full tile of 256 columns");
  CHECK(words(10, 10, {1, 1}, [](auto r, auto c) { return (r + c) % 3 == 1; }) == "scattered over rows 0 to 9 and columns 0 to 9");
}

TEST_CASE("an output of one row is a list: it has elements, and no columns", "[whereabouts]") {
  constexpr Tile line{1, 256};
  CHECK(words(1, 1, line, [](auto, auto) { return true; }) == "its only element");
  CHECK(words(1, 300, line, [](auto, auto) { return true; }) == "every element");
  CHECK(words(1, 300, line, [](auto, auto c) { return c == 7; }) == "only element 7");
  CHECK(words(1, 300, line, [](auto, auto c) { return c >= 297; }) == "the last 3 elements");
  CHECK(words(1, 300, line, [](auto, auto c) { return c % 100 != 5; }) == "every element except 3");
  CHECK(words(1, 300, line, [](auto, auto c) { return c % 3 == 1; }) == "scattered over elements 1 to 298");
}
