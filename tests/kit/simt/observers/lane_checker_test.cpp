// Undefined calls of warp functions: a mask without the caller is divergence, a shuffle from nobody is an unwritten value.
#include "simt/observers/barrier_checker.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;
using tilelab::Verdict;

TEST_CASE("a mask without the caller and a shuffle from nobody are findings of their own", "[lane_checker]") {
  FindingLog log;
  LaneChecker checker(log);
  checker.on_undefined_lane({{0, 5}, 10, LaneEvent::Why::mask_without_caller, "__syncwarp()", 0xFF00u, 0});
  checker.on_undefined_lane({{0, 6}, 20, LaneEvent::Why::source_has_left, "", ~0u, 9});
  checker.on_undefined_lane({{0, 4}, 20, LaneEvent::Why::source_has_left, "", ~0u, 7});
  const auto all = log.deduplicated();
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == Verdict::barrier_divergence);
  CHECK(all[0].about == RawFinding::About::lane);
  CHECK(all[0].lane.mask == 0xFF00u);
  CHECK(all[1].kind == Verdict::uninitialized_read);
  CHECK(all[1].count == 2);
  CHECK(all[1].site.by.thread == 4);
  CHECK(all[1].lane.source == 7);
}
