// The hidden cases of 00-first-program: ends of blocks, numbers that are rounded, random counts, and less memory.
#include "problems/vector_addition.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::vector_addition;

TEST_CASE("is exact where a warp or a block ends", "[hidden]") { check_whole({31, 33, 128, 255, 257, 2048}); }

TEST_CASE("adds numbers of every size", "[hidden]") { check_any({3, 777, 12'345}); }

TEST_CASE("adds random counts of numbers", "[hidden]") {
  check_whole(random_sizes(2, 1, 3000));
  check_any(random_sizes(1, 3000, 30'000));
  check_followed(random_sizes(1, 1000, 3000));
}

TEST_CASE("adds very many numbers", "[hidden]") { check_any({262'147}); }

TEST_CASE("says so with other counts of numbers", "[hidden]") { check_told(random_sizes(2, 1500, 90'000)); }

TEST_CASE("gives back the memory with other counts of numbers", "[hidden][technique]") { check_freed(random_sizes(1, 2, 5000)); }
