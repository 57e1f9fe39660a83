// The cases of 22-smooth that students see.
#include "problems/smooth.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::smooth;

TEST_CASE("copies a matrix that is all edge", "[public]") { check_exact({{.M = 1, .N = 1}, {.M = 2, .N = 9}}); }

TEST_CASE("smooths one tile", "[public]") { check_exact({{.M = 5, .N = 7}, {.M = 16, .N = 16}}); }

TEST_CASE("smooths several tiles", "[public]") { check_exact({{.M = 33, .N = 50}}); }
