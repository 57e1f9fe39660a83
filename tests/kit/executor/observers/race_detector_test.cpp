// Races by the rules: one byte, one interval, at least one write, not both atomic, two threads, no __syncwarp() between.
#include "executor/observers/race_detector.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;
using tilelab::Verdict;

namespace {

constexpr AccessKind reads = AccessKind::read, writes = AccessKind::write, atomic = AccessKind::atomic;

void run(FindingLog& log, const std::vector<Touch>& touches, const Region& region, bool& needs_reversed_run) {
  RaceDetector detector(log);
  HandmadeLaunch launch(detector, region);
  launch.begin_block();
  for (std::uint32_t warp = 0; warp < 3; ++warp) launch.warp_sync(warp);  // separates warp intervals 0 and 1
  for (const Touch& touch : touches) launch.touch(touch);
  launch.end_block();
  needs_reversed_run = detector.needs_reversed_run();
}

// Like the judge: runs again in reverse order if only atomics ordered accesses.
std::vector<RawFinding> races(std::vector<Touch> touches, const Region& region) {
  FindingLog log;
  bool both_ways = false;
  run(log, touches, region, both_ways);
  if (!both_ways) return log.deduplicated();
  std::reverse(touches.begin(), touches.end());
  run(log, touches, region, both_ways);
  return log.deduplicated();
}

std::vector<RawFinding> races(const std::vector<Touch>& touches) {
  static const Region region = shared_region(64);  // findings point to it
  return races(touches, region);
}

std::string shown(const std::vector<RawFinding>& findings) {
  std::string text;
  for (const RawFinding& f : findings) {
    text += element_name(*f.region, f.offset) + " " + f.site.access + " " + std::to_string(f.site.pc) + " by " +
            std::to_string(f.site.by.thread) + ", " + f.other.access + " " + std::to_string(f.other.pc) + " by " +
            std::to_string(f.other.by.thread) + "\n";
  }
  return text;
}

// The definition, pair by pair. Lanes of a warp are ordered if they have passed different numbers of __syncwarp()s.
bool race(const Touch& a, const Touch& b) {
  if (a.thread == b.thread) return false;
  if (a.kind == reads && b.kind == reads) return false;
  if (a.kind == atomic && b.kind == atomic) return false;
  if (a.at >= b.at + b.size || b.at >= a.at + a.size) return false;
  return a.thread / 32 != b.thread / 32 || a.warp_interval == b.warp_interval;
}

std::set<std::pair<std::uintptr_t, std::uintptr_t>> racing_statements(const std::vector<Touch>& touches) {
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs;
  for (const Touch& a : touches) {
    for (const Touch& b : touches) {
      if (race(a, b)) pairs.insert(std::minmax(a.pc, b.pc));
    }
  }
  return pairs;
}

std::set<std::pair<std::uintptr_t, std::uintptr_t>> statements_of(const std::vector<RawFinding>& findings) {
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs;
  for (const RawFinding& finding : findings) pairs.insert(std::minmax(finding.site.pc, finding.other.pc));
  return pairs;
}

// Whether a thread uses both an atomic and another access. Then its own atomic may order others' atomics before its next access.
bool uses_atomics_and_others(const std::vector<Touch>& touches) {
  return std::any_of(touches.begin(), touches.end(), [&](const Touch& one) {
    return one.kind == atomic && std::any_of(touches.begin(), touches.end(),
                                             [&](const Touch& other) { return other.kind != atomic && other.thread == one.thread; });
  });
}

}  // namespace

TEST_CASE("a write and another thread's access of the same word race, whichever ran first", "[race_detector]") {
  const auto second = GENERATE(reads, writes, atomic);
  const std::vector<Touch> forth{{0, writes, 8, 4, 10}, {5, second, 8, 4, 20}}, back{forth[1], forth[0]};
  const auto found = races(forth);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Verdict::race);
  CHECK(found[0].site.pc == 10);
  CHECK(found[0].other.pc == 20);
  CHECK(element_name(*found[0].region, found[0].offset) == "As[2]");
  CHECK(shown(found) == shown(races(back)));
}

TEST_CASE("one thread, reads alone, and atomics alone do not race", "[race_detector]") {
  CHECK(races({{3, writes, 0, 4, 1}, {3, reads, 0, 4, 2}, {3, writes, 0, 4, 3}, {3, atomic, 0, 4, 4}}).empty());
  CHECK(races({{0, reads, 0, 4, 1}, {1, reads, 0, 4, 1}, {2, reads, 0, 8, 2}}).empty());
  CHECK(races({{0, atomic, 0, 4, 1}, {1, atomic, 0, 4, 1}, {40, atomic, 0, 4, 2}}).empty());
}

TEST_CASE("an atomic races with a plain read and with a plain write", "[race_detector]") {
  CHECK(races({{0, atomic, 0}, {1, reads, 0, 4, 2}}).size() == 1);
  CHECK(races({{0, writes, 0}, {1, atomic, 0, 4, 2}}).size() == 1);
}

TEST_CASE("equal values are a race all the same: only accesses are looked at", "[race_detector]") {
  CHECK(races({{0, writes, 0, 4, 7}, {1, writes, 0, 4, 7}}).size() == 1);
}

TEST_CASE("neighbouring bytes do not race, overlapping ones do", "[race_detector]") {
  CHECK(races({{0, writes, 0, 1}, {1, writes, 1, 1}, {2, writes, 2, 1}, {3, writes, 3, 1}}).empty());
  CHECK(races({{0, writes, 0, 2}, {1, writes, 2, 2}}).empty());
  CHECK(races({{0, writes, 0, 2}, {1, writes, 1, 2}}).size() == 1);
  CHECK(races({{0, writes, 3, 2}, {1, reads, 4, 1, 2}}).size() == 1);    // across a word's end
  CHECK(races({{0, writes, 0, 16}, {1, reads, 12, 4, 2}}).size() == 1);  // a float4
  CHECK(races({{0, writes, 0, 16}, {1, writes, 16, 16}}).empty());
}

TEST_CASE("a race on bytes names the byte's element, not its word's", "[race_detector]") {
  const Region bytes = shared_region(64, 1);
  const auto found = races({{0, writes, 6, 1, 1}, {1, reads, 6, 1, 2}}, bytes);
  REQUIRE(found.size() == 1);
  CHECK(element_name(bytes, found[0].offset) == "As[6]");
}

TEST_CASE("offsets count from the array, wherever it lies in the span", "[race_detector]") {
  const Region region = shared_region(64, 4, 128);
  const auto found = races({{0, writes, 136}, {1, writes, 136}}, region);
  REQUIRE(found.size() == 1);
  CHECK(element_name(region, found[0].offset) == "As[2]");
}

TEST_CASE("of two arrays that share a word the one that races is named", "[race_detector]") {
  const bool other_first = GENERATE(false, true);
  Region flags = shared_region(2, 1), bytes = shared_region(6, 1, 2);
  bytes.name = "bytes";
  FindingLog log;
  RaceDetector detector(log);
  Region span = shared_region(8);
  HandmadeLaunch launch(detector, span);
  launch.begin_block();
  if (other_first) launch.touch_in(flags, {0, writes, 0, 1, 5});
  launch.touch_in(bytes, {1, writes, 3, 1, 1});
  launch.touch_in(bytes, {2, reads, 3, 1, 2});
  if (!other_first) launch.touch_in(flags, {0, writes, 0, 1, 5});
  launch.end_block();
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(element_name(*log.deduplicated()[0].region, log.deduplicated()[0].offset) == "bytes[1]");
}

TEST_CASE("a barrier, another block and another word part accesses", "[race_detector]") {
  const Region region = shared_region(64);
  FindingLog log;
  RaceDetector detector(log);
  HandmadeLaunch launch(detector, region);
  for (std::uint64_t block = 0; block < 3; ++block) {
    launch.begin_block(block);
    launch.touch({0, writes, 0, 4, 1});
    launch.touch({1, writes, 4, 4, 1});
    launch.barrier();
    launch.touch({1, reads, 0, 4, 2});
    launch.touch({0, reads, 4, 4, 2});
    launch.barrier();
    launch.touch({2, writes, 0, 4, 1});
    launch.end_block();
  }
  CHECK(log.deduplicated().empty());
}

TEST_CASE("a race in one interval of one block is found, and named for that block", "[race_detector]") {
  const Region region = shared_region(64);
  FindingLog log;
  RaceDetector detector(log);
  HandmadeLaunch launch(detector, region);
  for (std::uint64_t block = 0; block < 3; ++block) {
    launch.begin_block(block);
    launch.touch({0, writes, 0, 4, 1});
    launch.barrier();
    if (block != 0) launch.touch({1, reads, 0, 4, 2});
    if (block != 0) launch.touch({0, writes, 0, 4, 1});
    launch.end_block();
  }
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].site.by.block == 1);
  CHECK(log.deduplicated()[0].count == 2);
}

TEST_CASE("a __syncwarp() orders the lanes of its warp and nobody else", "[race_detector]") {
  CHECK(races({{0, writes, 0, 4, 1, 0}, {1, reads, 0, 4, 2, 1}}).empty());
  CHECK(races({{0, writes, 0, 4, 1, 1}, {1, reads, 0, 4, 2, 1}}).size() == 1);
  CHECK(races({{0, writes, 0, 4, 1, 0}, {32, reads, 0, 4, 2, 1}}).size() == 1);
  CHECK(races({{31, writes, 0, 4, 1, 0}, {32, writes, 0, 4, 1, 0}}).size() == 1);
}

TEST_CASE("two warps race even where every pair within a warp is ordered", "[race_detector]") {
  // Statement 1 by threads 0 and 40 before their warps' __syncwarp(), statement 2 by 1 and 41 after it.
  const auto found = races({{0, writes, 0, 4, 1, 0}, {1, reads, 0, 4, 2, 1}, {40, writes, 0, 4, 1, 0}, {41, reads, 0, 4, 2, 1}});
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs;
  for (const RawFinding& finding : found) pairs.emplace(finding.site.pc, finding.other.pc);
  CHECK(pairs == std::set<std::pair<std::uintptr_t, std::uintptr_t>>{{1, 1}, {1, 2}});
}

TEST_CASE("a forgotten barrier between loading and reading a tile is one finding", "[race_detector]") {
  std::vector<Touch> touches;
  for (std::uint32_t thread = 0; thread < 16; ++thread) {
    touches.push_back({thread, writes, thread * 4, 4, 1});
    for (std::uint32_t k = 0; k < 16; ++k) touches.push_back({thread, reads, k * 4, 4, 2});
  }
  const auto found = races(touches);
  REQUIRE(found.size() == 1);
  CHECK(std::string(found[0].site.access) == "write");
  CHECK(std::string(found[0].other.access) == "read");
  CHECK(found[0].count == 16);
}

TEST_CASE("random intervals: the racing statements are those of the definition, in every order of the accesses", "[race_detector]") {
  std::mt19937 random(GENERATE(Catch::Generators::range(1u, 41u)));
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const Region region = shared_region(64, 1);
  for (int round = 0; round < 40; ++round) {
    std::vector<Touch> touches;
    const std::uint32_t statements = 1 + below(4), accesses = 2 + below(14), threads = 2 + below(80), span = 1 + below(20);
    std::map<std::uintptr_t, std::pair<AccessKind, std::uint32_t>>
        statement;  // kind and size of each statement, which mostly has one of each
    for (std::uintptr_t pc = 1; pc <= statements; ++pc) statement[pc] = {static_cast<AccessKind>(below(3)), 1u << below(5)};
    for (std::uint32_t i = 0; i < accesses; ++i) {
      const std::uintptr_t pc = 1 + below(statements);
      const auto [kind, size] = statement[pc];
      touches.push_back({below(threads), below(6) == 0 ? writes : kind, below(span), size, pc, below(4) == 0 ? 1u : 0u});
    }
    const std::string first = shown(races(touches, region));
    for (const RawFinding& finding : races(touches, region)) CHECK(finding.site.by.thread != finding.other.by.thread);
    REQUIRE(statements_of(races(touches, region)) == racing_statements(touches));
    for (int order = 0; order < 4; ++order) {
      std::shuffle(touches.begin(), touches.end(), random);
      if (uses_atomics_and_others(touches))  // then the order of the atomics decides which threads are shown
        REQUIRE(statements_of(races(touches, region)) == racing_statements(touches));
      else
        REQUIRE(shown(races(touches, region)) == first);
    }
  }
}

TEST_CASE("an access past the announced span is left to the bounds checker", "[race_detector]") {
  CHECK(races({{0, writes, 60, 16}, {1, writes, 64, 4}}).empty());
}
