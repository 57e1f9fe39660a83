// The cases of cs149-saxpy that students see.
#include "problems/saxpy.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::saxpy;

TEST_CASE("computes one element and a few", "[public]") { check_exact({1, 20}); }

TEST_CASE("computes sizes that no block divides", "[public]") { check_exact({1000, 3001}); }
