// The hidden cases of 01-naive.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("is exact around the sizes that blocks usually have", "[hidden]") {
  check_exact({{.M = 7, .N = 9, .K = 8}, {.M = 15, .N = 17, .K = 16}, {.M = 17, .N = 15, .K = 31}, {.M = 31, .N = 33, .K = 1}});
  check_exact({{.M = 33, .N = 31, .K = 17}, {.M = 1, .N = 32, .K = 33}, {.M = 32, .N = 1, .K = 15}, {.M = 65, .N = 63, .K = 7}});
}

TEST_CASE("multiplies very long and very thin matrices", "[hidden]") {
  check_exact({.M = 1, .N = 1, .K = 1031});
  check_exact({.M = 1, .N = 521, .K = 3});
  check_exact({.M = 521, .N = 1, .K = 3});
  check_exact({.M = 1, .N = 2050, .K = 1});
  check_exact({.M = 2050, .N = 3, .K = 1});
  check_exact({.M = 3, .N = 2, .K = 700});
  check_exact({{.M = 1, .N = 130, .K = 257}, {.M = 257, .N = 1, .K = 130}});  // B or A has more elements than a short counts
}

TEST_CASE("multiplies sizes that nothing divides", "[hidden]") {
  check_exact({{.M = 31, .N = 37, .K = 19}, {.M = 97, .N = 13, .K = 29}, {.M = 7, .N = 71, .K = 37}});
}

TEST_CASE("stays accurate on random numbers", "[hidden]") {
  check_close({{.M = 9, .N = 37, .K = 257}, {.M = 20, .N = 23, .K = 100}, {.M = 5, .N = 6, .K = 2}});
}

TEST_CASE("multiplies random sizes", "[hidden]") { check_exact(random_shapes(7, {.M = 60, .N = 60, .K = 60})); }
