// The cases of leetgpu-matmul that students see.
#include "problems/lettered_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::lettered_matmul;

static const Letters letters{.rows = "M", .inner = "N", .columns = "K"};

TEST_CASE("multiplies the smallest matrices", "[public]") { check_exact(letters, {{1, 1, 1}, {2, 2, 2}}); }

TEST_CASE("multiplies matrices that are not square", "[public]") { check_exact(letters, {{1, 5, 3}, {16, 12, 20}}); }
