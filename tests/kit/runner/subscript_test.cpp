// Which array a closing bracket at a column belongs to.
#include "runner/report/launch_report.hpp"

#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using tilelab::mentions_macro;
using tilelab::subscript_behind;
using tilelab::subscript_closing_at;
using tilelab::subscripted_names;

namespace {

std::string told(const std::string& line, std::size_t column) {
  const auto found = subscript_closing_at(line, column);
  return found ? found->array + " " + std::to_string(found->position) : "none";
}

}  // namespace

TEST_CASE("a closing bracket leads to its array and which of its subscripts it is", "[subscript]") {
  const std::string line = "  sum += As[ty][k] * Bs[k][tx];";
  CHECK(told(line, 15) == "As 0");
  CHECK(told(line, 18) == "As 1");
  CHECK(told(line, 26) == "Bs 0");
  CHECK(told(line, 30) == "Bs 1");
}

TEST_CASE("subscripts within subscripts belong to the inner array", "[subscript]") {
  const std::string line = "x = outer[inner[i] + 1][j];";
  CHECK(told(line, 18) == "inner 0");
  CHECK(told(line, 23) == "outer 0");
  CHECK(told(line, 26) == "outer 1");
}

TEST_CASE("a line may be indented by anything", "[subscript]") {
  CHECK(told("\tx = a[i];", 9) == "a 0");
  CHECK(told("\t  x = a[i];", 11) == "a 0");
}

TEST_CASE("where no bracket closes, no name comes before, or columns may have moved, nothing is claimed", "[subscript]") {
  CHECK(told("a[i] = 0;", 3) == "none");
  CHECK(told("a[i] = 0;", 0) == "none");
  CHECK(told("a[i] = 0;", 99) == "none");
  CHECK(told("a] = 0;", 2) == "none");
  CHECK(told("(p)[i] = 0;", 6) == "none");
  CHECK(told("x  = a[i];", 9) == "none");
  CHECK(told("x /* why */ = a[i];", 18) == "none");
  CHECK(told("x\t= a[i];", 8) == "none");
}

TEST_CASE("a name leads to its last subscript, or to one further left where inner dimensions follow", "[subscript]") {
  const std::string line = "  sum += As[ty][k] * Bs[at[k]][tx];";
  const auto behind = [&](std::size_t column, std::size_t inner) {
    const auto found = subscript_behind(line, column, inner);
    return found ? found->array + " " + std::to_string(found->position) : "none";
  };
  CHECK(behind(10, 0) == "As 1");
  CHECK(behind(10, 1) == "As 0");
  CHECK(behind(22, 0) == "Bs 1");
  CHECK(behind(22, 1) == "Bs 0");
  CHECK(behind(25, 0) == "at 0");
  CHECK(behind(10, 2) == "none");
  CHECK(behind(3, 0) == "none");
  CHECK(behind(9, 0) == "none");
  CHECK(behind(99, 0) == "none");
}

TEST_CASE("a line mentions a macro where it has its whole name, however it was defined", "[subscript]") {
  const std::vector<std::string> file{
      "#define TILE 16", " \t# \tdefine  AT(r, c) As[r][c]", "#defined NOT 1", "# define", "int define = 1;", "#define"};
  for (const char* line : {"x = TILE;", "x = AT(1, 2);", "TILE"}) CHECK(mentions_macro(line, file));
  for (const char* line : {"x = TILES;", "x = MY_TILE;", "x = 1TILE;", "NOT;", "define = r;", "", "16"})
    CHECK_FALSE(mentions_macro(line, file));
}

TEST_CASE("the names with a bracket behind them are those of a line's arrays", "[subscript]") {
  CHECK(subscripted_names("  sum += As[ty][k] * Bs \t[at[k]] + f(x) + 3[p] + y;") == std::set<std::string>{"As", "Bs", "at"});
  CHECK(subscripted_names("").empty());
  CHECK(subscripted_names("As").empty());
}
