// The cases of 02-tiled that students see. Each multiplies matrices of the given shapes and compares with the exact product.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies the smallest matrices there are", "[public]") { check_exact({.M = 32, .N = 32, .K = 32}); }

TEST_CASE("multiplies square matrices of several tiles", "[public]") { check_exact({.M = 64, .N = 64, .K = 64}); }

TEST_CASE("multiplies matrices that are not square", "[public]") {
  check_exact({.M = 32, .N = 64, .K = 96});
  check_quarters({.M = 96, .N = 32, .K = 64});
}

TEST_CASE("fetches at most half of what a naive kernel does", "[public][technique]") { check_reuse({.M = 96, .N = 64, .K = 96}, 0.5); }
