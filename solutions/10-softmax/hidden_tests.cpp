// The hidden cases of 10-softmax: rows that end anywhere in a warp or a block, peaks, level rows, long ones and many.
#include "problems/softmax.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::softmax;

TEST_CASE("is right where a warp or a block ends", "[hidden]") {
  for (const int columns : {2, 31, 33, 128, 255, 257, 1024, 1025}) check_small({{.rows = 3, .columns = columns}});
}

TEST_CASE("finds the one large element of a row", "[hidden]") {
  check_peaked({{.rows = 9, .columns = 77}, {.rows = 4, .columns = 4001}, {.rows = 66, .columns = 5}});
}

TEST_CASE("computes rows of equal elements", "[hidden]") { check_level({{.rows = 6, .columns = 71}, {.rows = 2, .columns = 1027}}); }

TEST_CASE("computes long rows and many rows", "[hidden]") {
  check_small({{.rows = 2, .columns = 9973}, {.rows = 431, .columns = 2}});
  check_shifted({{.rows = 1, .columns = 6011}, {.rows = 211, .columns = 1}});
}

TEST_CASE("computes random shapes", "[hidden]") {
  check_small(random_shapes(2, {.rows = 1, .columns = 1}, {.rows = 60, .columns = 300}));
  check_shifted(random_shapes(2, {.rows = 1, .columns = 1}, {.rows = 20, .columns = 700}));
}

TEST_CASE("shares rows of another length", "[hidden][technique]") {
  check_shared(random_shapes(1, {.rows = 3, .columns = 600}, {.rows = 12, .columns = 1900}));
}
