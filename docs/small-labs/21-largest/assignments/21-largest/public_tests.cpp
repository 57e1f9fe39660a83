// The cases of 21-largest that students see.
#include "problems/largest.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::largest;

TEST_CASE("finds the largest of a block's numbers", "[public]") { check_exact({1, 40, 256}); }

TEST_CASE("finds the largest of several blocks' numbers", "[public]") { check_exact({512, 1000}); }

TEST_CASE("finds the largest of negative numbers", "[public]") { check_negative({40, 300}); }
