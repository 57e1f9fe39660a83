// The cases of 00-first-program that students see. Each runs the program with two files of n numbers and compares every sum.
#include "problems/vector_addition.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::vector_addition;

TEST_CASE("adds a single pair of numbers", "[public]") { check_whole({1}); }

TEST_CASE("adds a thousand numbers", "[public]") {
  check_whole({1000});
  check_followed({1000});
}

TEST_CASE("adds any count of numbers", "[public]") { check_whole({2, 500, 1024, 70'001}); }

TEST_CASE("says so if the GPU has too little memory", "[public]") { check_told({40'000}); }

TEST_CASE("shares the numbers among many threads", "[public][technique]") { check_shared({100'000}); }

TEST_CASE("gives back the memory of the GPU", "[public][technique]") { check_freed({1000}); }
