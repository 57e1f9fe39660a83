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

TEST_CASE("transposes random sizes", "[hidden]") { check_exact(random_shapes(6, {.M = 150, .N = 150})); }

TEST_CASE("passes every element through shared memory on other sizes", "[hidden][technique]") {
  check_staged(random_shapes(2, {.M = 65, .N = 65}, {.M = 190, .N = 190}));
}
