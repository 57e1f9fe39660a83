// The cases of 04-open that students see. Each multiplies matrices of the given shapes and compares with the exact product.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies small matrices", "[public]") {
  check_exact({{.M = 1, .N = 1, .K = 1}, {.M = 4, .N = 8, .K = 4}, {.M = 5, .N = 3, .K = 2}});
}

TEST_CASE("multiplies whole tiles of many sizes", "[public]") {
  check_exact({{.M = 32, .N = 32, .K = 32}, {.M = 64, .N = 128, .K = 16}, {.M = 128, .N = 64, .K = 32}, {.M = 32, .N = 32, .K = 512}});
  check_counted({.M = 128, .N = 128, .K = 64});
}

TEST_CASE("multiplies ragged matrices", "[public]") {
  check_exact({.M = 65, .N = 33, .K = 17});
  check_quarters({.M = 50, .N = 67, .K = 35});
}
