// The cases of 08-scan that students see. Each scans the given count of numbers, and every element of `out` must be exactly right.
#include "problems/scan.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::scan;

TEST_CASE("scans a single number", "[public]") { check_exact({1}); }

TEST_CASE("scans the numbers of one block", "[public]") { check_exact({32, 256}); }

TEST_CASE("scans numbers of several blocks that fill no block", "[public]") { check_exact({5, 1000, 1025, 3001}); }

TEST_CASE("shares a long scan among threads and blocks", "[public][technique]") { check_shared_out({100'000}); }
