// The hidden cases of 08-scan: sizes at which a warp, a block or a level of sums has an odd end.
#include "problems/scan.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::scan;

TEST_CASE("is exact around every power of two", "[hidden]") {
  // Each power itself or beside it, and on both sides where warps and blocks usually end: each run of a program starts two sandboxes.
  check_exact({2, 5, 7, 17, 31, 33, 64, 127, 255, 257, 511, 512, 1023, 1025, 2049, 4095, 4096});
}

TEST_CASE("scans large numbers", "[hidden]") { check_large({2, 23, 61, 1531, 46'019}); }

TEST_CASE("scans so many numbers that the sums of the blocks fill no block", "[hidden]") { check_exact({70'001, 299'993}); }

TEST_CASE("scans random sizes", "[hidden]") {
  check_exact(random_sizes(4, 1, 3000));
  check_exact(random_sizes(2, 3000, 40'000));
}

TEST_CASE("shares a scan among threads and blocks on other sizes", "[hidden][technique]") {
  check_shared_out(random_sizes(1, 101'000, 118'000));
}
