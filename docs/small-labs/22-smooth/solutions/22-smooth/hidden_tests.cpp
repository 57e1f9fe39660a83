// The hidden cases of 22-smooth.
#include "problems/smooth.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::smooth;

TEST_CASE("smooths around a tile's size", "[hidden]") { check_exact({{.M = 31, .N = 32}, {.M = 32, .N = 33}, {.M = 33, .N = 31}}); }

TEST_CASE("smooths random sizes", "[hidden]") { check_exact(random_shapes(4, {.M = 90, .N = 90})); }
