// The hidden cases of ece408-matmul.
#include "problems/wb_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::wb_matmul;

TEST_CASE("multiplies long and thin matrices", "[hidden]") {
  check_product({{.M = 1, .N = 100, .K = 3}, {.M = 130, .N = 2, .K = 20}, {.M = 5, .N = 4, .K = 300}});
}

TEST_CASE("multiplies random sizes", "[hidden]") { check_product(random_shapes(2, {.M = 80, .N = 80, .K = 80})); }
