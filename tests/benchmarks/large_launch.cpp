// One large product for `make bench`: a lab's largest shapes are too small to time the executor with.
#include "problems/matmul.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::matmul;

TEST_CASE("multiplies 256 x 256 x 256", "[bench]") { check_exact({.M = 256, .N = 256, .K = 256}); }
TEST_CASE("multiplies 128 x 128 x 128", "[bench]") { check_exact({.M = 128, .N = 128, .K = 128}); }
TEST_CASE("multiplies 32 x 32 x 32", "[bench]") { check_exact({.M = 32, .N = 32, .K = 32}); }
