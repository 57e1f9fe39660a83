// Raw findings are deduplicated. What is shown does not depend on their order.
#include "executor/finding_log.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;
using tilelab::Verdict;

namespace {

RawFinding race(std::uintptr_t pc, std::uintptr_t other_pc, ThreadRef by, ThreadRef other, std::int64_t offset = 0) {
  RawFinding finding;
  finding.kind = Verdict::race;
  finding.site = {pc, "write", by};
  finding.other = {other_pc, "read", other};
  finding.offset = offset;
  return finding;
}

std::string text(const std::vector<RawFinding>& findings) {
  std::string all;
  for (const RawFinding& f : findings) {
    for (const std::uint64_t n :
         {f.site.pc, f.site.by.block, std::uint64_t{f.site.by.thread}, f.other.pc, f.other.by.block, std::uint64_t{f.other.by.thread},
          static_cast<std::uint64_t>(f.offset), std::uint64_t{f.size}, static_cast<std::uint64_t>(f.index), f.bound, f.count}) {
      all += std::to_string(n) + " ";
    }
    all += std::string(f.site.access) + " " + f.other.access + " " + f.what + "\n";
  }
  return all;
}

std::string deduplicated(const std::vector<RawFinding>& raw) {
  FindingLog log;
  for (const RawFinding& one : raw) log.report(one);
  return text(log.deduplicated());
}

}  // namespace

TEST_CASE("findings of one kind, statement pair and region are one, with the smallest threads and the sum of counts", "[finding_log]") {
  FindingLog log;
  log.report(race(1, 2, {3, 5}, {3, 6}));
  log.report(race(1, 2, {0, 9}, {0, 4}, 8));
  log.report(race(1, 2, {0, 9}, {0, 3}, 16));
  const auto all = log.deduplicated();
  REQUIRE(all.size() == 1);
  CHECK(all[0].count == 3);
  CHECK(all[0].site.by.block == 0);
  CHECK(all[0].other.by.thread == 3);
  CHECK(all[0].offset == 16);
}

TEST_CASE("another kind, statement or region is another finding", "[finding_log]") {
  const Region a, b;
  RawFinding finding = race(1, 2, {}, {});
  FindingLog log;
  log.report(finding);
  finding.region = &a;
  log.report(finding);
  finding.region = &b;
  log.report(finding);
  finding.other.pc = 3;
  log.report(finding);
  finding.site.pc = 3;
  log.report(finding);
  finding.kind = Verdict::out_of_bounds;
  log.report(finding);
  CHECK(log.deduplicated().size() == 6);
}

TEST_CASE("deduplication does not depend on the order of the reports", "[finding_log]") {
  std::mt19937 random(7);
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<RawFinding> raw;
  for (int i = 0; i < 400; ++i) {
    RawFinding one = race(1 + below(3), 1 + below(3), {below(2), below(3)}, {0, below(3)}, below(2));
    one.kind = static_cast<Verdict>(below(3));
    one.size = 1u << below(3);
    one.index = below(2);
    one.bound = below(3);
    one.site.access = below(2) != 0 ? "write" : "atomic";
    one.other.access = below(2) != 0 ? "read" : "write";
    raw.push_back(one);
  }
  const std::string expected = deduplicated(raw);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(raw.begin(), raw.end(), random);
    REQUIRE(deduplicated(raw) == expected);
  }
}

TEST_CASE("a flood of distinct findings is bounded, and which ones stay does not depend on their order", "[finding_log]") {
  std::vector<RawFinding> raw;
  for (std::uintptr_t pc = 1; pc <= 3000; ++pc) {
    raw.push_back(race(pc, pc, {0, 0}, {0, 1}));
    raw.push_back(race(pc, pc, {0, 2}, {0, 3}));
  }
  const std::string expected = deduplicated(raw);
  CHECK(std::count(expected.begin(), expected.end(), '\n') == 512);
  std::mt19937 random(11);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(raw.begin(), raw.end(), random);
    REQUIRE(deduplicated(raw) == expected);
  }
}

TEST_CASE("every kind of access has a name", "[finding_log]") {
  CHECK(std::string(access_name(AccessKind::read)) == "read");
  CHECK(std::string(access_name(AccessKind::write)) == "write");
  CHECK(std::string(access_name(AccessKind::atomic)) == "atomic");
}
