// The hidden cases of 05-transpose: edges at every place where a tile can end.
#include "problems/transpose.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::transpose;

TEST_CASE("is exact around the size of a tile", "[hidden]") {
  check_exact(around(32));
  check_exact(around(16));
}

TEST_CASE("transposes a single row and a single column", "[hidden]") {
  check_exact({{.M = 1, .N = 263}, {.M = 263, .N = 1}, {.M = 2, .N = 131}, {.M = 131, .N = 3}});
}

TEST_CASE("transposes sizes that nothing divides", "[hidden]") {
  check_exact({{.M = 101, .N = 53}, {.M = 53, .N = 101}, {.M = 7, .N = 139}, {.M = 97, .N = 97}});
}

TEST_CASE("transposes random sizes", "[hidden]") { check_exact(random_shapes(6, {.M = 120, .N = 120})); }

TEST_CASE("passes every element through shared memory on other sizes", "[hidden][technique]") {
  // Each side is long once, and once both: a kernel can hardly tell by its sizes when it is counted.
  check_staged(random_shapes(1, {.M = 250, .N = 40}, {.M = 300, .N = 56}));
  check_staged(random_shapes(1, {.M = 40, .N = 250}, {.M = 56, .N = 300}));
  check_staged(random_shapes(1, {.M = 150, .N = 150}, {.M = 170, .N = 170}));
}
