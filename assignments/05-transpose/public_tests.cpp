// The cases of 05-transpose that students see. Each transposes matrices of the given shapes and compares every element.
#include "problems/transpose.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::transpose;

TEST_CASE("transposes a single element", "[public]") { check_exact({.M = 1, .N = 1}); }

TEST_CASE("transposes one tile", "[public]") { check_exact({.M = 32, .N = 32}); }

TEST_CASE("transposes matrices that are not square", "[public]") {
  check_exact({{.M = 64, .N = 96}, {.M = 3, .N = 5}, {.M = 40, .N = 18}, {.M = 33, .N = 65}});
}

TEST_CASE("passes every element through shared memory once", "[public][technique]") { check_staged({.M = 192, .N = 128}); }
