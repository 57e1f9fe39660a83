// The hidden cases of leetgpu-matmul.
#include "problems/lettered_matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::lettered_matmul;

static const Letters letters{.rows = "M", .inner = "N", .columns = "K"};

TEST_CASE("multiplies where no block fits", "[hidden]") { check_exact(letters, random_sizes(3, {70, 70, 70})); }

TEST_CASE("stays accurate on random numbers", "[hidden]") { check_close(letters, {{33, 129, 65}}); }
