// The cases of 03-boundary that students see. Each multiplies matrices of the given shapes and compares with the exact product.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies a single element", "[public]") { check_exact({.M = 1, .N = 1, .K = 1}); }

TEST_CASE("multiplies whole tiles", "[public]") {
  check_exact({.M = 32, .N = 32, .K = 32});
  check_exact({.M = 32, .N = 16, .K = 48});
}

TEST_CASE("multiplies one row and one column more than a tile", "[public]") {
  check_exact({.M = 17, .N = 17, .K = 17});
  check_exact({.M = 33, .N = 33, .K = 33});
}

TEST_CASE("multiplies matrices that are not square", "[public]") {
  check_exact({.M = 20, .N = 50, .K = 35});
  check_quarters({.M = 50, .N = 7, .K = 20});
}

TEST_CASE("fetches at most half of what a naive kernel does", "[public][technique]") { check_reuse({.M = 70, .N = 90, .K = 80}, 0.5); }
