// A block of threads on real fibers, for tests of the scheduler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "executor/scheduler/block_scheduler.hpp"
#include "recorded_events.hpp"

namespace tilelab::simt::fiber_block {

inline constexpr std::uintptr_t here = 0x1000, there = 0x2000;

// A block of `count` threads; `body` gets its thread's number.
class Block {
 public:
  explicit Block(std::uint32_t count) : stacks_(count), order_(count) {
    announcer_.add(events);
    std::iota(order_.begin(), order_.end(), 0u);
  }

  void shuffle(unsigned seed) { std::shuffle(order_.begin(), order_.end(), std::mt19937(seed)); }
  void run(const std::function<void(std::uint32_t)>& body, std::uint64_t block = 0) {
    using Turn = BlockScheduler::Turn;
    const std::function<void()> thread = [&] { body(scheduler.running().ref.thread); };
    scheduler.begin_block(block, static_cast<std::uint32_t>(order_.size()));
    for (Turn turn = scheduler.run_turn(order_, thread); turn != Turn::ended; turn = scheduler.run_turn(order_, thread)) {
      if (turn == Turn::stuck) scheduler.end_sleepers();
    }
  }

  std::uint64_t exchange(WarpOperation operation, std::uint32_t mask, std::uint64_t value = 0, std::uint32_t source = 0,
                         std::uintptr_t pc = here) {
    return scheduler.exchange(pc, {operation, mask, value, source});
  }

  RecordedEvents events;

 private:
  Announcer announcer_;
  FiberStacks stacks_;
  std::vector<std::uint32_t> order_;

 public:
  int switches = 0;
  BlockScheduler scheduler{announcer_, stacks_, [this] { ++switches; }};
};

}  // namespace tilelab::simt::fiber_block
