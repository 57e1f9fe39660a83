// A launch on one buffer under the race detector. A test runs its blocks in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "executor/observers/race_detector.hpp"
#include "handmade_launch.hpp"

namespace tilelab::simt::handmade_grid {

inline constexpr AccessKind reads = AccessKind::read, writes = AccessKind::write, atomic = AccessKind::atomic;
inline constexpr std::uint64_t data = 0, ticket = 64, flag = 128;  // offsets in bytes

// A launch on one buffer. A test runs its blocks in any order.
class Grid {
 public:
  explicit Grid(Region region = global_region(4096), unsigned threads = 64)
      : region_(std::move(region)), detector_(log_), launch_(detector_, region_, threads) {}
  Grid& block(std::uint64_t block, const std::function<void(HandmadeLaunch&)>& does) {
    launch_.begin_block(block);
    does(launch_);
    launch_.end_block();
    return *this;
  }
  std::vector<RawFinding> found() {
    launch_.end();
    return log_.deduplicated();
  }
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs() {
    std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs;
    for (const RawFinding& finding : found()) pairs.insert(std::minmax(finding.site.pc, finding.other.pc));
    return pairs;
  }
  bool needs_reversed_run() const { return detector_.needs_reversed_run(); }

 private:
  Region region_;
  FindingLog log_;
  RaceDetector detector_;
  HandmadeLaunch launch_;
};

// Two blocks, one access each.
inline std::vector<RawFinding> between(Touch first, Touch second) {
  Grid grid;
  grid.block(first.block, [&](HandmadeLaunch& launch) { launch.touch(first); });
  grid.block(second.block, [&](HandmadeLaunch& launch) { launch.touch(second); });
  return grid.found();
}

inline Touch plain(std::uint32_t thread, AccessKind kind, std::uint64_t at, std::uintptr_t pc) { return {thread, kind, at, 4, pc}; }

using Pairs = std::set<std::pair<std::uintptr_t, std::uintptr_t>>;

}  // namespace tilelab::simt::handmade_grid
