// The hidden cases of 04-open.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("is exact around the sizes that tiles usually have", "[hidden]") {
  check_exact({{.M = 7, .N = 9, .K = 8}, {.M = 15, .N = 16, .K = 17}, {.M = 31, .N = 33, .K = 15}, {.M = 33, .N = 31, .K = 9}});
  check_exact({{.M = 63, .N = 65, .K = 7}, {.M = 65, .N = 63, .K = 33}, {.M = 127, .N = 129, .K = 9}, {.M = 129, .N = 127, .K = 1}});
}

TEST_CASE("multiplies very long and very thin matrices", "[hidden]") {
  check_exact({{.M = 1, .N = 1, .K = 263}, {.M = 1, .N = 263, .K = 19}, {.M = 263, .N = 1, .K = 19}, {.M = 3, .N = 2, .K = 301}});
}

TEST_CASE("stays accurate on random numbers", "[hidden]") {
  check_close({{.M = 19, .N = 35, .K = 257}, {.M = 32, .N = 64, .K = 64}, {.M = 5, .N = 6, .K = 2}});
}

TEST_CASE("keeps Inf and NaN in their own row and column", "[hidden]") {
  check_non_finite({{.M = 33, .N = 20, .K = 17}, {.M = 67, .N = 130, .K = 13}, {.M = 12, .N = 9, .K = 5}});
}

TEST_CASE("multiplies random sizes", "[hidden]") { check_exact(random_shapes(5, {.M = 130, .N = 130, .K = 40})); }

TEST_CASE("asks as little of memory on other sizes", "[hidden]") {
  // Each side is long once, and once none is short: a kernel can hardly tell by its sizes when it is counted.
  check_counted(random_shapes(1, {.M = 192, .N = 64, .K = 32}, {.M = 256, .N = 64, .K = 32}, 32));
  check_counted(random_shapes(1, {.M = 64, .N = 192, .K = 32}, {.M = 64, .N = 256, .K = 32}, 32));
  check_counted(random_shapes(1, {.M = 64, .N = 64, .K = 128}, {.M = 64, .N = 64, .K = 160}, 32));
  check_counted(random_shapes(1, {.M = 128, .N = 96, .K = 64}, {.M = 160, .N = 96, .K = 64}, 32));
}
