// Marks of bytes after copies of any range.
#include "program/memory/value_marks.hpp"

#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::program;

namespace {

constexpr std::size_t bytes = 40;

bool is_set(const std::vector<std::uint8_t>& marks, std::size_t at) { return (marks[at / 4] >> (at % 4) & 1) != 0; }
bool is_by_kernel(const std::vector<std::uint8_t>& marks, std::size_t at) { return (marks[at / 4] >> (4 + at % 4) & 1) != 0; }

}  // namespace

TEST_CASE("a copy from the host sets exactly its bytes, and they are no kernel's any more", "[value_marks]") {
  for (std::size_t first = 0; first < 12; ++first) {
    for (std::size_t count = 0; count < 20; ++count) {
      std::vector<std::uint8_t> marks(bytes / 4, 0xFF);
      for (std::size_t i = 0; i < 3; ++i) marks[i] = 0;
      const std::vector<std::uint8_t> before = marks;
      mark_as_set(marks.data(), first, count);
      for (std::size_t at = 0; at < bytes; ++at) {
        const bool inside = at >= first && at < first + count;
        REQUIRE(is_set(marks, at) == (inside || is_set(before, at)));
        REQUIRE(is_by_kernel(marks, at) == (!inside && is_by_kernel(before, at)));
      }
      REQUIRE(all_set(marks.data(), first, count));
      REQUIRE(none_set(marks.data(), first, count) == (count == 0));
    }
  }
}

TEST_CASE("marks go with the bytes, also when the ranges overlap", "[value_marks]") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint8_t> marks(bytes / 4);
    for (std::size_t at = 0; at < bytes; ++at) {
      const unsigned kind = random() % 3;
      if (kind > 0) marks[at / 4] = static_cast<std::uint8_t>(marks[at / 4] | (1u << (at % 4)));
      if (kind > 1) marks[at / 4] = static_cast<std::uint8_t>(marks[at / 4] | (16u << (at % 4)));
    }
    const std::vector<std::uint8_t> before = marks;
    const std::size_t count = random() % 16, from = random() % (bytes - count), to = random() % (bytes - count);
    copy_marks(marks.data(), to, marks.data(), from, count);
    for (std::size_t at = 0; at < bytes; ++at) {
      const bool inside = at >= to && at < to + count;
      const std::size_t source = inside ? from + at - to : at;
      REQUIRE(is_set(marks, at) == is_set(before, source));
      REQUIRE(is_by_kernel(marks, at) == is_by_kernel(before, source));
    }
  }
}

TEST_CASE("one byte more or less is seen", "[value_marks]") {
  std::vector<std::uint8_t> marks(bytes / 4);
  mark_as_set(marks.data(), 5, 9);
  CHECK(all_set(marks.data(), 5, 9));
  CHECK_FALSE(all_set(marks.data(), 4, 9));
  CHECK_FALSE(all_set(marks.data(), 5, 10));
  CHECK(none_set(marks.data(), 0, 5));
  CHECK_FALSE(none_set(marks.data(), 0, 6));
  CHECK(none_set(marks.data(), 14, 20));
  CHECK_FALSE(none_set(marks.data(), 13, 20));
}
