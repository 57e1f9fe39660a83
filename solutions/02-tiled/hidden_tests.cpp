// The hidden cases of 02-tiled: multiples of 32, but neither powers of two nor squares.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies sizes that are no powers of two", "[hidden]") {
  check_exact({.M = 96, .N = 160, .K = 224});
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
  check_reuse(random_shapes(2, {.M = 64, .N = 64, .K = 64}, {.M = 96, .N = 96, .K = 96}, 32), 0.5);
}
