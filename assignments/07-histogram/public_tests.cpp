// The cases of 07-histogram that students see. Each counts the given number of values into the given number of bins.
#include "problems/histogram.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::histogram;

TEST_CASE("counts a single value", "[public]") { check_inside({{.n = 1, .bins = 1}, {.n = 1, .bins = 8}}); }

TEST_CASE("counts into few bins", "[public]") { check_inside({{.n = 256, .bins = 4}, {.n = 1000, .bins = 16}}); }

TEST_CASE("counts into any number of bins, and nothing outside", "[public]") {
  check_exact({{.n = 700, .bins = 7}, {.n = 2000, .bins = 300}, {.n = 3000, .bins = 1000}});
}

TEST_CASE("counts within a block before it changes the bins", "[public][technique]") { check_private({{.n = 100'000, .bins = 256}}); }
