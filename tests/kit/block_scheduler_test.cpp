// Threads of a block on real fibers: barriers, warp operations, spinning, ends.
#include "simt/block_scheduler.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "recorded_events.hpp"

using namespace tilelab::simt;

namespace {

constexpr std::uintptr_t here = 0x1000, there = 0x2000;

// A block of `count` threads; `body` gets its thread's number.
class Block {
 public:
  explicit Block(std::uint32_t count) : stacks_(count), order_(count) {
    announcer_.add(events);
    std::iota(order_.begin(), order_.end(), 0u);
  }

  void shuffle(unsigned seed) { std::shuffle(order_.begin(), order_.end(), std::mt19937(seed)); }
  void run(const std::function<void(std::uint32_t)>& body, std::uint64_t block = 0) {
    scheduler.run_block(block, order_, [&] { body(scheduler.running().ref.thread); });
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

}  // namespace

TEST_CASE("every thread runs once, whatever the order", "[block_scheduler]") {
  Block block(97);
  if (GENERATE(false, true)) block.shuffle(1);
  std::vector<int> runs(97);
  block.run([&](std::uint32_t thread) { ++runs[thread]; }, 5);
  CHECK(runs == std::vector<int>(97, 1));
  CHECK(block.events.blocks == std::vector<std::uint64_t>{5});
  REQUIRE(block.events.block_ends.size() == 1);
  CHECK(block.events.block_ends[0].block == 5);
  CHECK(block.events.barriers.empty());
}

TEST_CASE("no thread passes a barrier before all have reached it", "[block_scheduler]") {
  Block block(70);
  if (GENERATE(false, true)) block.shuffle(2);
  std::vector<int> phase(70);
  bool parted = true;
  block.run([&](std::uint32_t thread) {
    for (int step = 1; step <= 10; ++step) {
      phase[thread] = step;
      block.scheduler.barrier(here, BarrierReduction::none, 0);
      parted = parted && std::all_of(phase.begin(), phase.end(), [&](int p) { return p >= step; });
      block.scheduler.barrier(here, BarrierReduction::none, 0);
    }
  });
  CHECK(parted);
  REQUIRE(block.events.barriers.size() == 20);
  for (std::uint32_t i = 0; i < 20; ++i) CHECK(block.events.barriers[i].interval == i);
  CHECK(block.events.block_ends[0].interval == 20);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("a barrier counts, ands and ors what its threads bring", "[block_scheduler]") {
  Block block(40);
  const std::uint32_t yes = GENERATE(0u, 1u, 39u, 40u);
  std::vector<std::array<int, 3>> answers(40);
  block.run([&](std::uint32_t thread) {
    const int predicate = thread < yes ? 7 : 0;  // any value but zero is true
    answers[thread] = {block.scheduler.barrier(here, BarrierReduction::count, predicate),
                       block.scheduler.barrier(here, BarrierReduction::all, predicate),
                       block.scheduler.barrier(here, BarrierReduction::any, predicate)};
  });
  for (const auto& [count, all, any] : answers) {
    CHECK(count == static_cast<int>(yes));
    CHECK(all == (yes == 40 ? 1 : 0));
    CHECK(any == (yes != 0 ? 1 : 0));
  }
}

TEST_CASE("a thread that has left is not waited for, and the barrier says so", "[block_scheduler]") {
  Block block(33);
  int passed = 0;
  block.run([&](std::uint32_t thread) {
    if (thread % 3 == 0) return;
    CHECK(block.scheduler.barrier(here, BarrierReduction::all, 1) == 1);
    ++passed;
  });
  CHECK(passed == 22);
  REQUIRE(block.events.barriers.size() == 1);
  CHECK(block.events.barriers[0].exited == 11);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("threads at different barriers diverge, and go on together", "[block_scheduler]") {
  Block block(8);
  if (GENERATE(false, true)) block.shuffle(3);
  int passed = 0;
  block.run([&](std::uint32_t thread) {
    block.scheduler.barrier(thread < 5 ? here : there, BarrierReduction::none, 0);
    ++passed;
  });
  CHECK(passed == 8);
  REQUIRE(block.events.divergences.size() == 1);
  const DivergenceEvent& event = block.events.divergences[0];
  CHECK(event.first.thread == 0);
  CHECK(event.second.thread == 5);
  CHECK(event.first_pc == here);
  CHECK(event.second_pc == there);
  CHECK_FALSE(event.within_warp);
  CHECK(block.events.barriers.size() == 1);
}

TEST_CASE("a warp synchronisation waits for its own warp alone", "[block_scheduler]") {
  Block block(96);
  if (GENERATE(false, true)) block.shuffle(4);
  std::vector<int> phase(96);
  bool parted = true;
  block.run([&](std::uint32_t thread) {
    if (thread / 32 == 1) return;  // a warp that does not take part
    phase[thread] = 1;
    block.exchange(WarpOperation::sync, ~0u);
    const std::uint32_t first = thread / 32 * 32;
    for (std::uint32_t lane = 0; lane < 32; ++lane) parted = parted && phase[first + lane] == 1;
  });
  CHECK(parted);
  CHECK(block.events.warp_syncs.size() == 2);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("only a warp synchronisation opens a new warp interval, and a barrier begins anew", "[block_scheduler]") {
  Block block(32);
  std::vector<std::array<std::uint32_t, 4>> intervals(32);
  block.run([&](std::uint32_t thread) {
    const auto now = [&] { return block.scheduler.running().warp_interval; };
    intervals[thread][0] = now();
    block.exchange(WarpOperation::vote_all, ~0u, 1);
    intervals[thread][1] = now();
    block.exchange(WarpOperation::sync, ~0u);
    intervals[thread][2] = now();
    block.scheduler.barrier(here, BarrierReduction::none, 0);
    intervals[thread][3] = now();
  });
  for (const auto& mine : intervals) CHECK(mine == std::array<std::uint32_t, 4>{0, 0, 1, 0});
}

TEST_CASE("halves of a warp synchronise by their own masks", "[block_scheduler]") {
  Block block(32);
  if (GENERATE(false, true)) block.shuffle(5);
  std::vector<std::uint32_t> interval(32);
  block.run([&](std::uint32_t thread) {
    if (thread < 16) {
      block.exchange(WarpOperation::sync, 0x0000FFFFu);
      block.exchange(WarpOperation::sync, 0x0000FFFFu);
    } else {
      block.exchange(WarpOperation::sync, 0xFFFF0000u);
    }
    interval[thread] = block.scheduler.running().warp_interval;
    block.exchange(WarpOperation::sync, ~0u);
    CHECK(block.scheduler.running().warp_interval == 3);  // after everything either half did
  });
  for (std::uint32_t thread = 0; thread < 32; ++thread) CHECK(interval[thread] == (thread < 16 ? 2u : 1u));
  CHECK(block.events.divergences.empty());
  REQUIRE(block.events.warp_syncs.size() == 4);
}

TEST_CASE("shuffles bring the source's value", "[block_scheduler]") {
  Block block(64);
  if (GENERATE(false, true)) block.shuffle(6);
  std::vector<std::uint64_t> got(64);
  block.run([&](std::uint32_t thread) { got[thread] = block.exchange(WarpOperation::shuffle, ~0u, 1000 + thread, (thread + 1) % 32); });
  for (std::uint32_t thread = 0; thread < 64; ++thread) CHECK(got[thread] == 1000 + thread / 32 * 32 + (thread + 1) % 32);
}

TEST_CASE("lanes that left the kernel are not waited for in a warp operation", "[block_scheduler]") {
  Block block(32);
  if (GENERATE(false, true)) block.shuffle(7);
  std::vector<std::uint64_t> sum(32);
  block.run([&](std::uint32_t thread) {
    if (thread >= 20) return;
    sum[thread] = block.exchange(WarpOperation::reduce_add, ~0u, 1);
  });
  for (std::uint32_t thread = 0; thread < 20; ++thread) CHECK(sum[thread] == 20);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("lanes that come to one place are told of one another, whatever order they run in", "[block_scheduler]") {
  Block block(64);
  if (GENERATE(false, true)) block.shuffle(8);
  std::vector<std::uint32_t> together(64);
  block.run([&](std::uint32_t thread) {
    if (thread == 5) return;
    if (thread == 40) block.scheduler.barrier(here, BarrierReduction::none, 0);
    together[thread] = block.scheduler.converge(thread % 2 == 0 ? here : there);
  });
  for (const std::uint32_t thread : {0u, 2u, 30u}) CHECK(together[thread] == 0x55555555u);
  for (const std::uint32_t thread : {1u, 31u}) CHECK(together[thread] == (0xAAAAAAAAu & ~(1u << 5)));
  for (const std::uint32_t thread : {32u, 62u}) CHECK(together[thread] == (0x55555555u & ~(1u << 8)));
  CHECK(together[40] == 1u << 8);
}

TEST_CASE("a thread that polls for lanes that converge does not hold them up", "[block_scheduler]") {
  Block block(32);
  if (GENERATE(false, true)) block.shuffle(9);
  bool done = false;
  std::uint32_t together = 0;
  block.run([&](std::uint32_t thread) {
    if (thread == 3) {
      while (!done) block.scheduler.yield();
      return;
    }
    together = block.scheduler.converge(here);
    done = true;
  });
  CHECK(together == ~(1u << 3));
}

TEST_CASE("a lane that leaves late releases those that wait for it", "[block_scheduler]") {
  Block block(32);
  std::uint64_t sum = 0;
  block.run([&](std::uint32_t thread) {
    if (thread != 31) {
      sum = block.exchange(WarpOperation::reduce_add, ~0u, 1);
      return;
    }
    for (int i = 0; i < 5; ++i) block.scheduler.yield();
  });
  CHECK(sum == 31);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("the last warp of a block may be short of lanes", "[block_scheduler]") {
  Block block(40);
  std::uint64_t sum = 0;
  block.run([&](std::uint32_t thread) {
    const std::uint64_t mine = block.exchange(WarpOperation::reduce_add, ~0u, 1);
    if (thread == 39) sum = mine;
  });
  CHECK(sum == 8);
}

TEST_CASE("a lane waited for in a warp operation that stands at a barrier diverges", "[block_scheduler]") {
  Block block(32);
  if (GENERATE(false, true)) block.shuffle(8);
  int done = 0;
  block.run([&](std::uint32_t thread) {
    if (thread == 9) {
      block.scheduler.barrier(there, BarrierReduction::none, 0);
    } else {
      block.exchange(WarpOperation::sync, ~0u);
      block.scheduler.barrier(there, BarrierReduction::none, 0);
    }
    ++done;
  });
  CHECK(done == 32);
  REQUIRE(!block.events.divergences.empty());
  CHECK(block.events.divergences[0].within_warp);
  CHECK(block.events.divergences[0].first.thread == 0);
  CHECK(block.events.divergences[0].second.thread == 9);
  CHECK(block.events.divergences[0].second_pc == there);
}

TEST_CASE("masks that disagree diverge instead of hanging", "[block_scheduler]") {
  Block block(32);
  int done = 0;
  block.run([&](std::uint32_t thread) {
    block.exchange(WarpOperation::sync, thread < 16 ? ~0u : 0xFFFFFFFEu, 0, 0, thread < 16 ? here : there);
    ++done;
  });
  CHECK(done == 32);
  REQUIRE(!block.events.divergences.empty());
  CHECK(block.events.divergences[0].within_warp);
}

TEST_CASE("a spinning thread lets the one it waits for run", "[block_scheduler]") {
  Block block(3);
  bool set = false;
  int spins = 0;
  block.run([&](std::uint32_t thread) {
    if (thread == 2) set = true;
    while (!set) {
      ++spins;
      block.scheduler.yield();
    }
  });
  CHECK(set);
  CHECK(spins == 2);
}

TEST_CASE("a thread that is ended never goes on, and the others do not wait for it", "[block_scheduler]") {
  Block block(32);
  int after = 0, met = 0;
  block.run([&](std::uint32_t thread) {
    if (thread == 4) {
      block.scheduler.end_thread();
      ++after;
    }
    met += static_cast<int>(block.exchange(WarpOperation::reduce_add, ~0u, 1)) == 31 ? 1 : 0;
    block.scheduler.barrier(here, BarrierReduction::none, 0);
  });
  CHECK(after == 0);
  CHECK(met == 31);
  CHECK(block.events.ended == std::vector<std::uint32_t>{4});
  REQUIRE(block.events.barriers.size() == 1);
  CHECK(block.events.barriers[0].exited == 0);  // it did not leave by itself: no fault of the kernel's
}

TEST_CASE("an ended launch runs no further thread, and its stacks are used again", "[block_scheduler]") {
  Block block(16);
  for (int round = 0; round < 100; ++round) {
    int begun = 0, finished = 0;
    block.run([&](std::uint32_t thread) {
      ++begun;
      if (thread < 7) block.scheduler.barrier(here, BarrierReduction::none, 0);
      if (thread == 7) block.scheduler.end_launch();
      ++finished;
    });
    REQUIRE(begun == 8);
    REQUIRE(finished == 0);
  }
  int runs = 0;
  block.run([&](std::uint32_t) { ++runs; });
  CHECK(runs == 16);
  CHECK(block.events.block_ends.size() == 101);
}

TEST_CASE("each thread runs on a stack of its own, inside what is announced as its stack", "[block_scheduler]") {
  Block block(64);
  std::vector<std::uintptr_t> at(64);
  bool inside = true;
  block.run([&](std::uint32_t thread) {
    volatile char local = 0;
    at[thread] = reinterpret_cast<std::uintptr_t>(&local);
    block.scheduler.barrier(here, BarrierReduction::none, 0);
    const auto& running = block.scheduler.running();
    inside = inside && running.ref.thread == thread && at[thread] >= running.stack_low && at[thread] < running.stack_high;
  });
  CHECK(inside);
  std::sort(at.begin(), at.end());
  for (std::size_t i = 1; i < at.size(); ++i) CHECK(at[i] - at[i - 1] >= FiberStacks::stack_bytes);
  CHECK(block.switches == 128);
}
