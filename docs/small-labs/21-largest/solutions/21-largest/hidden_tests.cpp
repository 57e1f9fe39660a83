// The hidden cases of 21-largest.
#include "problems/largest.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::largest;

TEST_CASE("finds the largest around a block's size", "[hidden]") { check_exact({255, 257, 767, 769}); }

TEST_CASE("finds the largest of random sizes", "[hidden]") {
  check_exact(random_sizes(4, 3000));
  check_negative(random_sizes(4, 3000));
}
