// Threads of a block on real fibers: barriers, spinning, ends.
#include "executor/scheduler/block_scheduler.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "fiber_block.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::fiber_block;

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

TEST_CASE("threads that left are told of once, by the return that they left by", "[block_scheduler]") {
  Block block(40);
  if (GENERATE(false, true)) block.shuffle(11);
  block.run([&](std::uint32_t thread) {
    if (thread < 3) return;
    if (thread < 10) return block.scheduler.returns(there);
    if (thread < 20) block.scheduler.returns(there);  // of a function that it came back from: a barrier forgets it
    block.scheduler.barrier(here, BarrierReduction::none, 0);
    if (thread < 20) return;
    block.scheduler.barrier(there, BarrierReduction::none, 0);
  });
  REQUIRE(block.events.absences.size() == 3);
  const auto &ends = block.events.absences[0], &returned = block.events.absences[1], &later = block.events.absences[2];
  CHECK(ends.left_by == 0);
  CHECK(ends.count == 3);
  CHECK(ends.absent.thread == 0);
  CHECK(ends.waiting.thread == 10);
  CHECK(ends.pc == here);
  CHECK(ends.last[0] == 0);
  CHECK(returned.left_by == there);
  CHECK(returned.count == 7);
  CHECK(returned.absent.thread == 3);
  CHECK(later.left_by == 0);
  CHECK(later.count == 10);
  CHECK(later.interval == 1);
  CHECK(later.pc == there);
  CHECK(later.path[0] == there);
  CHECK(later.last[0] == here);
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
  CHECK(block.events.barriers[0].exited == 0);  // it did not leave by itself, so the kernel is not at fault
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
