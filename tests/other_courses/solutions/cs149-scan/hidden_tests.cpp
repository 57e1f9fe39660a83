// The hidden cases of cs149-scan.
#include "problems/scan_program.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::scan_program;

TEST_CASE("scans random sizes", "[hidden]") { check_scan(random_sizes(1, 4000)); }

TEST_CASE("finds repeats in random sizes", "[hidden]") { check_repeats(random_sizes(1, 4000)); }
