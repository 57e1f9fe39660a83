// The cases of 6s894-matmul that students see.
#include "problems/lettered_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::lettered_matmul;

static const Letters letters{.rows = "size_i", .inner = "size_k", .columns = "size_j"};

TEST_CASE("multiplies small matrices", "[public]") { check_exact(letters, {{128, 128, 128}}); }
