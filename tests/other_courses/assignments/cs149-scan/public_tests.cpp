// The cases of cs149-scan that students see.
#include "problems/scan_program.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::scan_program;

TEST_CASE("scans powers of two", "[public]") { check_scan({16, 2048}); }

TEST_CASE("scans any number of elements", "[public]") { check_scan({5, 3000}); }

TEST_CASE("finds repeats", "[public]") { check_repeats({64, 1000}); }
