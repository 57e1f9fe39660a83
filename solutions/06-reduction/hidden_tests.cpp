// The hidden cases of 06-reduction: sizes at which a tree, a warp or a block has an odd end.
#include "problems/reduction.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::reduction;

TEST_CASE("is exact around every power of two", "[hidden]") { check_exact(around_powers(4096)); }

TEST_CASE("stays accurate on random numbers", "[hidden]") {
  check_close({61, 1531, 4013});
  check_quarters({2311, 46});
}

TEST_CASE("sums sizes that nothing divides", "[hidden]") { check_exact({11, 353, 2797, 30'011}); }

TEST_CASE("sums random sizes", "[hidden]") {
  check_exact(random_sizes(4, 1, 3000));
  check_exact(random_sizes(2, 3000, 20'000));
}

TEST_CASE("combines numbers on other sizes", "[hidden][technique]") {
  check_combined(random_sizes(1, 60'000, 80'000));
  check_combined(random_sizes(1, 105'000, 118'000));
}
