// The hidden cases of 03-boundary.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("is exact around the size of a tile", "[hidden]") {
  check_exact(around(16));
  check_exact({{.M = 31, .N = 33, .K = 32}, {.M = 33, .N = 31, .K = 47}, {.M = 32, .N = 49, .K = 31}, {.M = 9, .N = 7, .K = 8}});
}

TEST_CASE("multiplies when K is shorter than a tile", "[hidden]") {
  check_exact({{.M = 40, .N = 40, .K = 1}, {.M = 16, .N = 48, .K = 3}, {.M = 35, .N = 18, .K = 15}, {.M = 32, .N = 32, .K = 7}});
}

TEST_CASE("multiplies very long and very thin matrices", "[hidden]") {
  check_exact({{.M = 1, .N = 1, .K = 263}, {.M = 1, .N = 263, .K = 19}, {.M = 263, .N = 1, .K = 19}, {.M = 3, .N = 2, .K = 301}});
}

TEST_CASE("multiplies sizes that nothing divides", "[hidden]") {
  check_exact({{.M = 31, .N = 37, .K = 19}, {.M = 97, .N = 13, .K = 29}, {.M = 7, .N = 71, .K = 37}});
}

TEST_CASE("stays accurate on random numbers", "[hidden]") {
  check_close({{.M = 9, .N = 17, .K = 257}, {.M = 20, .N = 23, .K = 100}, {.M = 5, .N = 6, .K = 2}});
}

TEST_CASE("keeps Inf and NaN in their own row and column", "[hidden]") {
  check_non_finite({{.M = 33, .N = 20, .K = 17}, {.M = 18, .N = 35, .K = 33}, {.M = 12, .N = 9, .K = 5}});
}

TEST_CASE("multiplies random sizes", "[hidden]") { check_exact(random_shapes(6, {.M = 60, .N = 60, .K = 60})); }

TEST_CASE("fetches as little on other sizes", "[hidden][technique]") {
  // Each side is long once, and once none is short: a kernel can hardly tell by its sizes when it is counted.
  check_reuse({random_shapes(1, {.M = 130, .N = 33, .K = 33}, {.M = 150, .N = 36, .K = 36}),
               random_shapes(1, {.M = 33, .N = 130, .K = 33}, {.M = 36, .N = 150, .K = 36}),
               random_shapes(1, {.M = 33, .N = 33, .K = 130}, {.M = 36, .N = 36, .K = 150}),
               random_shapes(1, {.M = 61, .N = 61, .K = 61}, {.M = 66, .N = 66, .K = 66})},
              0.6);
}
