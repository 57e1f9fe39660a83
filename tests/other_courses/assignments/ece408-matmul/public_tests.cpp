// The cases of ece408-matmul that students see.
#include "problems/wb_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::wb_matmul;

TEST_CASE("multiplies small matrices", "[public]") { check_product({{.M = 16, .N = 16, .K = 16}, {.M = 64, .N = 64, .K = 64}}); }

TEST_CASE("multiplies matrices that no tile divides", "[public]") { check_product({{.M = 33, .N = 70, .K = 45}}); }
