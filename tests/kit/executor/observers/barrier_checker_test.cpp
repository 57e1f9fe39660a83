// Barriers that not every thread reaches: waiting at different ones is an error, and so is skipping one; early returns get a note. And
// undefined calls of warp functions: a mask without the caller is divergence, a shuffle from nobody is an unwritten value.
#include "executor/observers/barrier_checker.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;
using tilelab::Verdict;

TEST_CASE("threads at different barriers are one finding with both sides", "[barrier_checker]") {
  FindingLog log;
  BarrierChecker checker(log);
  for (std::uint64_t block = 3; block-- > 0;) checker.on_divergence({{block, 1}, {block, 2}, 10, 20, false});
  REQUIRE(log.deduplicated().size() == 1);
  const RawFinding finding = log.deduplicated()[0];
  CHECK(finding.kind == Verdict::barrier_divergence);
  CHECK(finding.site.by.block == 0);
  CHECK(finding.site.pc == 10);
  CHECK(finding.other.pc == 20);
  CHECK(finding.other.by.thread == 2);
  CHECK(finding.bound == 0);
  CHECK(finding.count == 3);
}

TEST_CASE("divergence within a warp operation is told from divergence at barriers", "[barrier_checker]") {
  FindingLog log;
  BarrierChecker checker(log);
  checker.on_divergence({{0, 1}, {0, 2}, 10, 20, true});
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].bound == 1);
}

namespace {

AbsenceEvent absent(std::uintptr_t left_by, std::uintptr_t pc = 40, std::uintptr_t last = 0) {
  AbsenceEvent event;
  event.waiting = {4, 1};
  event.absent = {4, 2};
  event.pc = pc;
  event.left_by = left_by;
  event.count = 7;
  event.path = {pc, 50};
  event.last = {last};
  return event;
}

// The barrier at 40 is in a helper, which the kernel calls at 50. A return at 30 comes before it, one at 60 behind it. The return at
// 70 shares a loop with both; there, the barrier at 45 comes before that at 40.
const BarrierPlaces places({{40, {38}}, {50, {48}}}, {{30, {}, {}}, {60, {50}, {}}, {70, {}, {{50, {45}}}}});

RawFinding found(const AbsenceEvent& event, bool early_return_is_error = false) {
  FindingLog log;
  BarrierChecker checker(log);
  const RaceDetector accesses(log);
  checker.know(places, accesses, early_return_is_error);
  checker.on_absence(event);
  REQUIRE(log.deduplicated().size() == 1);
  return log.deduplicated()[0];
}

}  // namespace

TEST_CASE("who runs to the kernel's end past a barrier has skipped it: an error with the conditions around it", "[barrier_checker]") {
  const RawFinding finding = found(absent(0));
  CHECK_FALSE(finding.note);
  CHECK(finding.about == RawFinding::About::skipped);
  CHECK(finding.bound == 7);
  CHECK(finding.site.by.thread == 1);
  CHECK(finding.other.by.thread == 2);
  CHECK(finding.conditions == std::array<std::uintptr_t, 8>{38, 48});
}

TEST_CASE("a return before the barrier is a note, or an error where the lab says so", "[barrier_checker]") {
  CHECK(found(absent(30)).note);
  CHECK(found(absent(30)).about == RawFinding::About::returned);
  CHECK(found(absent(30)).other.pc == 30);
  CHECK_FALSE(found(absent(30), true).note);
  CHECK(found(absent(30), true).about == RawFinding::About::returned);
  CHECK(found(absent(99)).note);  // nothing is known of it
}

TEST_CASE("a return behind the barrier does not make a skipped barrier good", "[barrier_checker]") {
  CHECK(found(absent(60)).about == RawFinding::About::skipped);
  CHECK_FALSE(found(absent(60)).note);
}

TEST_CASE("in a loop with the barrier, a return is behind it only if the thread came from a barrier before it", "[barrier_checker]") {
  CHECK(found(absent(70, 40, 40)).note);
  CHECK(found(absent(70, 40, 45)).about == RawFinding::About::skipped);
}

TEST_CASE("the first barrier that was missed is shown, whoever missed later ones", "[barrier_checker]") {
  FindingLog log;
  BarrierChecker checker(log);
  AbsenceEvent event = absent(0);
  event.interval = 3;
  event.absent = {4, 1};
  checker.on_absence(event);
  event.interval = 2;
  event.absent = {4, 9};
  checker.on_absence(event);
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].other.by.thread == 9);
  CHECK(log.deduplicated()[0].count == 2);
}

TEST_CASE("a mask without the caller and a shuffle from nobody are findings of their own", "[lane_checker]") {
  FindingLog log;
  BarrierChecker checker(log);
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
