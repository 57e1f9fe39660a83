// The hidden cases of cs149-saxpy.
#include "problems/saxpy.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::saxpy;

TEST_CASE("computes whole blocks", "[hidden]") { check_exact({512, 4096}); }

TEST_CASE("computes random sizes", "[hidden]") { check_exact(random_sizes(3, 20'000)); }
