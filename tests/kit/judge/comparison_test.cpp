// An output is right only if every element is within its bound. Differences are counted, listed and drawn.
#include "judge/comparison.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "operands/operand.hpp"

using namespace tilelab::judge;

namespace {

const double unwritten = unwritten_value();

// rows x columns of 0, 1, 2, ..., which must be matched exactly.
Expectation counting(std::size_t rows, std::size_t columns) {
  Expectation expected{rows, columns, std::vector<double>(rows * columns), {}};
  for (std::size_t i = 0; i < rows * columns; ++i) expected.values[i] = static_cast<double>(i);
  return expected;
}

std::vector<double> right(const Expectation& expected) { return {expected.values.begin(), expected.values.end()}; }

}  // namespace

TEST_CASE("an output that equals its expectation has no mismatch", "[comparison]") {
  const Expectation expected = counting(5, 7);
  CHECK_FALSE(compare(right(expected), expected, {16, 16}));
}

TEST_CASE("a single wrong element is found wherever it is", "[comparison]") {
  const Expectation expected = counting(3, 4);
  for (std::size_t i = 0; i < 12; ++i) {
    for (const double value : {static_cast<double>(i) + 1, std::nextafter(static_cast<double>(i), 100.0),
                               std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), unwritten}) {
      auto got = right(expected);
      got[i] = value;
      const auto mismatch = compare(got, expected, {16, 16});
      REQUIRE(mismatch);
      CHECK(mismatch->wrong == 1);
      REQUIRE(mismatch->first.size() == 1);
      CHECK(mismatch->first[0].row == i / 4);
      CHECK(mismatch->first[0].column == i % 4);
      CHECK(mismatch->first[0].expected == expected.values[i]);
    }
  }
}

TEST_CASE("where Inf or NaN is expected, whatever is written is right", "[comparison]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Expectation expected{1, 1, {value}, {}, true};
    for (const double right : {nan, inf, -inf, 0.0}) CHECK_FALSE(compare(std::vector{right}, expected, {}));
    const auto mismatch = compare(std::vector{unwritten}, expected, {});
    REQUIRE(mismatch);
    CHECK_FALSE(mismatch->first[0].expected);
    expected.non_finite = false;  // a fault of the problem: nothing is right then
    for (const double got : {nan, inf, 0.0}) CHECK(compare(std::vector{got}, expected, {}));
  }
}

TEST_CASE("minus zero equals zero", "[comparison]") {
  Expectation expected = counting(1, 1);
  CHECK_FALSE(compare(std::vector{-0.0}, expected, {}));
}

TEST_CASE("an element at its bound is right, one beyond it is not", "[comparison]") {
  Expectation expected{1, 1, {1.0}, {0.25}};
  CHECK_FALSE(compare(std::vector{1.25}, expected, {}));
  CHECK_FALSE(compare(std::vector{0.75}, expected, {}));
  CHECK(compare(std::vector{std::nextafter(1.25, 2.0)}, expected, {}));
  CHECK(compare(std::vector{std::numeric_limits<double>::quiet_NaN()}, expected, {}));
  expected.bounds = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(compare(std::vector{1.0}, expected, {}));
}

TEST_CASE("an unwritten element is told apart from a computed NaN", "[comparison]") {
  const Expectation expected = counting(2, 2);
  const auto mismatch = compare(
      std::vector{0.0, unwritten, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}, expected, {});
  REQUIRE(mismatch);
  CHECK(mismatch->wrong == 3);
  CHECK(mismatch->unwritten == 1);
  CHECK(mismatch->picture == std::vector<std::string>{".o", "##"});
  CHECK_FALSE(mismatch->first[1].got);
}

TEST_CASE("at most eight wrong elements are listed, in row-major order", "[comparison]") {
  const Expectation expected = counting(10, 10);
  const auto mismatch = compare(std::vector<double>(100, -1.0), expected, {16, 16});
  REQUIRE(mismatch);
  CHECK(mismatch->wrong == 100);
  REQUIRE(mismatch->first.size() == 8);
  CHECK(mismatch->first[7].column == 7);
  CHECK(mismatch->first[7].got == -1.0);
}

TEST_CASE("a picture is at most 64 by 64 cells, and no wrong element is lost in it", "[comparison]") {
  const auto [rows, columns, cell_rows, cell_columns] = GENERATE(
      table<std::size_t, std::size_t, std::size_t, std::size_t>({{64, 64, 1, 1}, {65, 64, 2, 1}, {129, 1000, 3, 16}, {1, 4097, 1, 65}}));
  const Expectation expected = counting(rows, columns);
  for (const std::size_t wrong : {std::size_t{0}, rows * columns / 2, rows * columns - 1}) {
    auto got = right(expected);
    got[wrong] = -1;
    const auto mismatch = compare(got, expected, {16, 16});
    REQUIRE(mismatch);
    CHECK(mismatch->cell_rows == cell_rows);
    CHECK(mismatch->cell_columns == cell_columns);
    CHECK(mismatch->picture.size() == (rows + cell_rows - 1) / cell_rows);
    CHECK(mismatch->picture.size() <= 64);
    CHECK(mismatch->picture[0].size() <= 64);
    CHECK(mismatch->picture.at(wrong / columns / cell_rows).at(wrong % columns / cell_columns) == '#');
  }
}

TEST_CASE("in a cell that holds both, wrong shows before unwritten", "[comparison]") {
  const Expectation expected = counting(1, 128);
  auto got = right(expected);
  got[0] = got[3] = unwritten;
  got[1] = got[2] = -1;
  CHECK(compare(got, expected, {})->picture.at(0).substr(0, 3) == "##.");
}

TEST_CASE("an output of another size than expected is refused", "[comparison]") {
  CHECK_THROWS_AS(compare(std::vector{1.0}, counting(1, 2), {}), std::logic_error);
}
