// The hidden cases of 07-histogram: ends of blocks, the fewest and the most bins, and all threads in one bin.
#include "problems/histogram.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::histogram;

TEST_CASE("is exact where a warp or a block ends", "[hidden]") {
  for (const int side : {32, 64, 128, 512, 2048}) {
    check_exact({{.n = side - 1, .bins = 10}, {.n = side, .bins = 33}, {.n = side + 1, .bins = 10}});
  }
}

TEST_CASE("counts into the fewest and the most bins", "[hidden]") {
  check_exact({{.n = 611, .bins = 1}, {.n = 443, .bins = 2}, {.n = 4099, .bins = 1023}, {.n = 5003, .bins = most_bins}});
  check_far({{.n = 389, .bins = 27}});
}

TEST_CASE("counts one value many times", "[hidden]") { check_one_value({{.n = 3137, .bins = 9}, {.n = 1511, .bins = 517}}); }

TEST_CASE("counts random sizes", "[hidden]") {
  check_exact(random_shapes(3, {.n = 1, .bins = 1}, {.n = 3000, .bins = 100}));
  check_exact(random_shapes(2, {.n = 3000, .bins = 200}, {.n = 20'000, .bins = most_bins}));
}

TEST_CASE("counts within a block on other sizes", "[hidden][technique]") {
  check_private(random_shapes(1, {.n = 60'000, .bins = 70}, {.n = 80'000, .bins = 120}));
  check_private(random_shapes(1, {.n = 105'000, .bins = 130}, {.n = 118'000, .bins = 250}));
}
