// The cases of 06-reduction that students see. Each sums the given count of numbers, and the sum must be exactly right.
#include "problems/reduction.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::reduction;

TEST_CASE("sums a single number", "[public]") { check_exact({1}); }

TEST_CASE("sums the numbers of one block", "[public]") { check_exact({32, 256}); }

TEST_CASE("sums numbers that fill no block", "[public]") {
  check_exact({5, 1000, 1025});
  check_quarters({777});
}

TEST_CASE("combines numbers before it changes the sum", "[public][technique]") { check_combined({100'000}); }
