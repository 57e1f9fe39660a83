// The hidden cases of 09-convolution: edges at every place where a tile or its halo can end.
#include "problems/convolution.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::convolution;

TEST_CASE("is exact around the size of a tile", "[hidden]") {
  check_exact(around(16));
  check_exact({{.height = 31, .width = 32}, {.height = 32, .width = 33}, {.height = 33, .width = 31}});
}

TEST_CASE("convolves pictures that are smaller than the mask", "[hidden]") {
  check_exact({{.height = 2, .width = 3}, {.height = 1, .width = 131}, {.height = 97, .width = 2}, {.height = 1, .width = 2}});
  check_exact(random_shapes(2, {.height = 1, .width = 1}, {.height = 4, .width = 4}));
}

TEST_CASE("stays accurate on random numbers", "[hidden]") {
  check_close({{.height = 61, .width = 45}});
  check_close(random_shapes(1, {.height = 3, .width = 3}, {.height = 70, .width = 70}));
}

TEST_CASE("convolves random shapes", "[hidden]") {
  check_exact(random_shapes(3, {.height = 1, .width = 1}, {.height = 90, .width = 90}));
  check_exact(random_shapes(1, {.height = 100, .width = 20}, {.height = 170, .width = 40}));
  // Long and thin, along a row and along a column: a submission can hardly list the shapes that are asked.
  check_exact(random_shapes(1, {.height = 1, .width = 300}, {.height = 4, .width = 700}));
  check_exact(random_shapes(1, {.height = 300, .width = 1}, {.height = 700, .width = 4}));
  check_exact({{.height = 2, .width = 2048}, {.height = 2048, .width = 2}});
}

TEST_CASE("loads a pixel once for many threads on other shapes", "[hidden][technique]") {
  // Each side is long once: a submission can hardly tell by its sizes when it is counted.
  check_tiled(random_shapes(1, {.height = 65, .width = 150}, {.height = 90, .width = 170}));
  check_tiled(random_shapes(1, {.height = 150, .width = 65}, {.height = 170, .width = 90}));
}
