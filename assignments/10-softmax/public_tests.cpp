// The cases of 10-softmax that students see. Each computes the softmax of every row of matrices of the given shapes.
#include "problems/softmax.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::softmax;

TEST_CASE("computes a single row", "[public]") { check_small({{.rows = 1, .columns = 1}, {.rows = 1, .columns = 50}}); }

TEST_CASE("computes many rows", "[public]") {
  check_small({{.rows = 7, .columns = 64}, {.rows = 300, .columns = 3}, {.rows = 20, .columns = 333}});
}

TEST_CASE("computes rows of large numbers", "[public]") { check_shifted({{.rows = 5, .columns = 40}, {.rows = 3, .columns = 500}}); }

TEST_CASE("shares each row among several threads", "[public][technique]") { check_shared({{.rows = 12, .columns = 2000}}); }
