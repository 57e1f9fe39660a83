// Which lanes __syncwarp()s of any mask order: the race detector compared with vector clocks, the textbook definition.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "executor/observers/race_detector.hpp"
#include "handmade_launch.hpp"

using namespace tilelab::simt;

namespace {

using Clock = std::array<std::uint32_t, 32>;
using Pairs = std::set<std::pair<std::uintptr_t, std::uintptr_t>>;

// One warp with random accesses to four words and random syncs. A detector and vector clocks get the same events.
class RandomWarp {
 public:
  RandomWarp(std::uint64_t seed, std::uint32_t lanes) : random_(seed), lanes_(lanes), launch_(detector_, region_) {
    launch_.begin_block();
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) clocks_[lane][lane] = 1;
  }

  void step(bool often_sync) {
    if (below(often_sync ? 2 : 5) == 0)
      sync(static_cast<std::uint32_t>(random_()) & ((1u << lanes_) - 1));
    else
      touch(below(lanes_), below(4), below(3) == 0 ? AccessKind::write : AccessKind::read);
  }
  void sync(std::uint32_t mask) {
    if (mask == 0) return;
    Clock joined{};
    std::uint32_t latest = 0;
    for_lanes(mask, [&](std::uint32_t lane) {
      for (std::uint32_t i = 0; i < 32; ++i) joined[i] = std::max(joined[i], clocks_[lane][i]);
      latest = std::max(latest, intervals_[lane]);
    });
    for_lanes(mask, [&](std::uint32_t lane) {
      clocks_[lane] = joined;
      ++clocks_[lane][lane];
      intervals_[lane] = latest + 1;
    });
    detector_.on_warp_sync({.block = 0, .warp = 0, .mask = mask, .warp_interval = latest + 1, .pc = 0});
  }
  void touch(std::uint32_t lane, std::uint32_t word, AccessKind kind) {
    const std::uintptr_t pc = 1 + accesses_.size();
    launch_.touch({.thread = lane, .kind = kind, .at = word * 4, .size = 4, .pc = pc, .warp_interval = intervals_[lane]});
    accesses_.push_back({lane, word, kind, clocks_[lane]});
  }

  Pairs found() {
    launch_.end_block();
    Pairs pairs;
    for (const RawFinding& finding : log_.deduplicated()) pairs.insert(std::minmax(finding.site.pc, finding.other.pc));
    return pairs;
  }
  Pairs defined() const {
    Pairs pairs;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      for (std::size_t j = i + 1; j < accesses_.size(); ++j) {
        const Touched &a = accesses_[i], &b = accesses_[j];
        const bool conflict = a.lane != b.lane && a.word == b.word && (a.kind == AccessKind::write || b.kind == AccessKind::write);
        if (conflict && b.clock[a.lane] < a.clock[a.lane]) pairs.emplace(i + 1, j + 1);
      }
    }
    return pairs;
  }

 private:
  struct Touched {
    std::uint32_t lane, word;
    AccessKind kind;
    Clock clock;  // a lane knows of another lane's access when its entry for that lane has reached the other's value at that time
  };
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  template <typename Action>
  void for_lanes(std::uint32_t mask, Action action) const {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      if (((mask >> lane) & 1u) != 0) action(lane);
    }
  }

  std::mt19937_64 random_;
  std::uint32_t lanes_;
  Region region_ = shared_region(16);
  FindingLog log_;
  RaceDetector detector_{log_};
  HandmadeLaunch launch_;
  std::array<Clock, 32> clocks_{};
  std::array<std::uint32_t, 32> intervals_{};
  std::vector<Touched> accesses_;
};

}  // namespace

TEST_CASE("__syncwarp()s of any masks order what a chain of them connects, and nothing else", "[warp_order]") {
  const auto seed = GENERATE(range(0, 300));
  RandomWarp warp(static_cast<std::uint64_t>(seed), 2 + static_cast<std::uint32_t>(seed) % 7);
  for (int step = 0; step < 60; ++step) warp.step(seed % 2 == 0);
  CHECK(warp.found() == warp.defined());
}

TEST_CASE("a warp that goes on for long without a block barrier races exactly when vector clocks say so", "[warp_order]") {
  const auto seed = GENERATE(range(0, 60));
  RandomWarp warp(static_cast<std::uint64_t>(seed), 3);
  for (int step = 0; step < 400; ++step) {
    warp.step(true);
    if (seed % 2 == 0) warp.sync(0b111);  // with this after every step, there is no race
  }
  CHECK(warp.found().empty() == warp.defined().empty());
  CHECK(warp.defined().empty() == (seed % 2 == 0));
}

TEST_CASE("a lane that syncs with itself alone orders nothing", "[warp_order]") {
  RandomWarp warp(0, 2);
  warp.touch(0, 0, AccessKind::write);
  warp.sync(0b01);
  warp.sync(0b10);
  warp.touch(1, 0, AccessKind::read);
  CHECK(warp.found() == Pairs{{1, 2}});
}
