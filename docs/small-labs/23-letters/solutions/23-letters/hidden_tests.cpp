// The hidden cases of 23-letters.
#include "problems/letters.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::letters;

TEST_CASE("counts around a block's size", "[hidden]") { check_exact({255, 257, 511, 513}); }

TEST_CASE("counts texts of random length", "[hidden]") { check_exact(random_sizes(4, 4000)); }
