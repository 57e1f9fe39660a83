// The hidden cases of 02-tiled: multiples of 32, but neither powers of two nor squares.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies sizes that are no powers of two", "[hidden]") {
  check_exact({.M = 96, .N = 160, .K = 64});
  check_exact({.M = 64, .N = 96, .K = 32});
  check_exact({.M = 96, .N = 32, .K = 64});
}

TEST_CASE("multiplies long rows of tiles", "[hidden]") {
  check_exact({.M = 32, .N = 32, .K = 352});
  check_exact({.M = 32, .N = 352, .K = 32});
  check_exact({.M = 352, .N = 32, .K = 32});
}

TEST_CASE("stays accurate on random numbers", "[hidden]") { check_close({{.M = 32, .N = 32, .K = 224}, {.M = 32, .N = 64, .K = 96}}); }

TEST_CASE("multiplies random multiples of 32", "[hidden]") { check_exact(random_shapes(4, {.M = 128, .N = 96, .K = 64}, 32)); }

TEST_CASE("fetches as little on other sizes", "[hidden][technique]") {
  // Each side is long once, and once none is short: a kernel can hardly tell by its sizes when it is counted.
  check_reuse(random_shapes(1, {.M = 256, .N = 32, .K = 32}, {.M = 448, .N = 32, .K = 64}, 32), 0.5);
  check_reuse(random_shapes(1, {.M = 32, .N = 256, .K = 32}, {.M = 64, .N = 448, .K = 32}, 32), 0.5);
  check_reuse(random_shapes(1, {.M = 32, .N = 32, .K = 256}, {.M = 32, .N = 64, .K = 448}, 32), 0.5);
  check_reuse(random_shapes(1, {.M = 96, .N = 96, .K = 96}, {.M = 128, .N = 128, .K = 96}, 32), 0.5);
}
