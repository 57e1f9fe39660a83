// The cases of 23-letters that students see.
#include "problems/letters.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::letters;

TEST_CASE("counts the letters of one block", "[public]") { check_exact({1, 40, 256}); }

TEST_CASE("counts the letters of several blocks", "[public]") { check_exact({600, 5000}); }

TEST_CASE("counts one letter many times", "[public]") { check_one_letter({1000}); }
