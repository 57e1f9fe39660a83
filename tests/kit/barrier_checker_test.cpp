// Barriers that not every thread reaches: waiting at different ones is an error, missing threads get a note.
#include "simt/observers/barrier_checker.hpp"

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

TEST_CASE("a barrier that all threads reached is no finding, one that some cannot reach is noted", "[barrier_checker]") {
  FindingLog log;
  BarrierChecker checker(log);
  checker.on_barrier({0, 0, 10, 0});
  CHECK(log.deduplicated().empty());
  checker.on_barrier({4, 1, 10, 7});
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].note);
  CHECK(log.deduplicated()[0].bound == 7);
  CHECK(log.deduplicated()[0].site.by.block == 4);
}
