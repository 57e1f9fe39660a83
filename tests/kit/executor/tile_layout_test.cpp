// The lanes of a warp hold each element of a tile exactly once, where PTX's documentation says.
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <utility>

#include "executor/arithmetic/tile_layout.hpp"

using namespace tilelab::simt;

namespace {
template <typename Place>
std::size_t places(int count, Place place) {
  std::set<std::pair<int, int>> held;
  for (int lane = 0; lane < 32; ++lane) {
    for (int at = 0; at < count; ++at) held.emplace(place(lane, at).row, place(lane, at).column);
  }
  return held.size();
}
}  // namespace

TEST_CASE("every element of a tile has one lane", "[tile]") {
  CHECK(places(8, [](int lane, int at) { return left_element(lane, at, 2); }) == 16 * 16);
  CHECK(places(16, [](int lane, int at) { return left_element(lane, at, 4); }) == 16 * 32);
  CHECK(places(4, [](int lane, int at) { return left_element(lane, at, 1); }) == 16 * 8);
  CHECK(places(4, [](int lane, int at) { return narrow_element(lane, at, 2); }) == 8 * 16);
  CHECK(places(4, [](int lane, int at) { return sum_element(lane, at); }) == 16 * 8);
}

TEST_CASE("lane 5 holds what the documentation says", "[tile]") {
  CHECK((left_element(5, 3, 2).row == 9 && left_element(5, 3, 2).column == 3));
  CHECK((left_element(5, 4, 2).row == 1 && left_element(5, 4, 2).column == 10));
  CHECK((narrow_element(5, 2, 2).row == 1 && narrow_element(5, 2, 2).column == 10));
  CHECK((sum_element(5, 2).row == 9 && sum_element(5, 2).column == 2));
}
