// The cases of 09-convolution that students see. Each convolves pictures of the given shapes and compares every element.
#include "problems/convolution.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::convolution;

TEST_CASE("convolves a single pixel", "[public]") { check_exact({.height = 1, .width = 1}); }

TEST_CASE("convolves a picture of one tile", "[public]") {
  check_exact({.height = 16, .width = 16});
  check_exact({.height = 32, .width = 32});
}

TEST_CASE("convolves pictures that are not square", "[public]") {
  check_exact({{.height = 48, .width = 64}, {.height = 3, .width = 50}, {.height = 37, .width = 70}});
}

TEST_CASE("loads a pixel once for many threads", "[public][technique]") { check_tiled({{.height = 96, .width = 128}}); }
