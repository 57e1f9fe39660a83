// The cases of 01-naive that students see. Each multiplies matrices of the given shapes and compares with the exact product.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies a single element", "[public]") { check_exact({.M = 1, .N = 1, .K = 1}); }

TEST_CASE("multiplies small square matrices", "[public]") {
  check_exact({.M = 2, .N = 2, .K = 2});
  check_exact({.M = 16, .N = 16, .K = 16});
  check_exact({.M = 32, .N = 32, .K = 32});
}

TEST_CASE("multiplies matrices that are not square", "[public]") {
  check_exact({.M = 2, .N = 3, .K = 4});
  check_exact({.M = 32, .N = 64, .K = 16});
  check_counted({.M = 64, .N = 16, .K = 32});
}

TEST_CASE("multiplies when blocks do not fit evenly", "[public]") {
  check_exact({.M = 17, .N = 5, .K = 9});
  check_exact({.M = 20, .N = 50, .K = 35});
}

TEST_CASE("multiplies fractions", "[public]") {
  check_quarters({.M = 4, .N = 4, .K = 4});
  check_quarters({.M = 30, .N = 20, .K = 40});
}
