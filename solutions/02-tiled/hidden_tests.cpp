// The hidden cases of 02-tiled: multiples of 32, but neither powers of two nor squares.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies sizes that are no powers of two", "[hidden]") {
  check_exact({.M = 96, .N = 160, .K = 32});
  check_exact({.M = 32, .N = 96, .K = 64});
}

TEST_CASE("multiplies long rows of tiles", "[hidden]") {
  check_exact({.M = 32, .N = 32, .K = 288});
  check_exact({.M = 32, .N = 160, .K = 32});
  check_exact({.M = 160, .N = 32, .K = 32});
}

TEST_CASE("stays accurate on random numbers", "[hidden]") { check_close({{.M = 32, .N = 32, .K = 224}, {.M = 64, .N = 32, .K = 32}}); }

TEST_CASE("multiplies random multiples of 32", "[hidden]") { check_exact(random_shapes(4, {.M = 96, .N = 96, .K = 64}, 32)); }

TEST_CASE("fetches as little on other sizes", "[hidden][technique]") {
  // Each side is long once, and once none is short: a kernel can hardly tell by its sizes when it is counted.
  check_reuse({random_shapes(1, {.M = 128, .N = 32, .K = 32}, {.M = 192, .N = 32, .K = 32}, 32),
               random_shapes(1, {.M = 32, .N = 128, .K = 32}, {.M = 32, .N = 192, .K = 32}, 32),
               random_shapes(1, {.M = 32, .N = 32, .K = 128}, {.M = 32, .N = 32, .K = 192}, 32),
               random_shapes(1, {.M = 64, .N = 64, .K = 32}, {.M = 96, .N = 96, .K = 64}, 32)},
              0.5);
}
