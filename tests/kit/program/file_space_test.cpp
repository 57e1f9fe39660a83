// Parts of a file are given out, taken back and joined again.
#include "program/memory/file_space.hpp"

#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using tilelab::program::FileSpace;

TEST_CASE("parts begin at the lowest place with room", "[file_space]") {
  FileSpace space(64, 16);
  CHECK(space.take(1) == 0);
  CHECK(space.take(17) == 16);
  CHECK(space.take(16) == 48);
  CHECK_FALSE(space.take(1));
  space.give_back(16, 17);
  CHECK(space.free_bytes() == 32);
  CHECK_FALSE(space.take(33));
  CHECK(space.take(16) == 16);
}

TEST_CASE("what is longer than any file has no room", "[file_space]") {
  FileSpace space(64, 16);
  CHECK_FALSE(space.take(~std::size_t{0}));
  CHECK_FALSE(FileSpace(0, 16).take(1));
}

TEST_CASE("whatever was taken and given back in any order, no two parts overlap and nothing is lost", "[file_space]") {
  std::mt19937 random(3);
  FileSpace space(1024, 16);
  std::vector<std::pair<std::size_t, std::size_t>> taken;
  for (int step = 0; step < 2000; ++step) {
    if (taken.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % 100;
      const auto place = space.take(bytes);
      if (!place) continue;
      for (const auto& [offset, size] : taken) REQUIRE((*place + space.rounded(bytes) <= offset || offset + space.rounded(size) <= *place));
      taken.emplace_back(*place, bytes);
    } else {
      const std::size_t one = random() % taken.size();
      space.give_back(taken[one].first, taken[one].second);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(one));
    }
  }
  for (const auto& [offset, size] : taken) space.give_back(offset, size);
  CHECK(space.take(1024) == 0);
}
