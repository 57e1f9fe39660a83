// The cases of cs149-scan that students see.
#include "problems/scan_program.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::scan_program;

TEST_CASE("scans powers of two", "[public]") { check_scan({64, 1024}); }

TEST_CASE("scans any number of elements", "[public]") { check_scan({1500}); }

TEST_CASE("finds repeats", "[public]") { check_repeats({1000}); }
