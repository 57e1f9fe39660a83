// The hidden cases of 6s894-matmul.
#include "problems/lettered_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::lettered_matmul;

static const Letters letters{.rows = "size_i", .inner = "size_k", .columns = "size_j"};

TEST_CASE("stays accurate on random numbers", "[hidden]") { check_close(letters, {{128, 128, 128}}); }

TEST_CASE("multiplies larger matrices", "[hidden]") { check_exact(letters, {{256, 256, 256}}); }
