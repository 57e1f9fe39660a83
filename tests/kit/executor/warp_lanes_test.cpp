// Lanes of a warp on real fibers: synchronisation by masks, shuffles, lanes that left or diverge.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/scheduler/block_scheduler.hpp"
#include "fiber_block.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::fiber_block;

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
    CHECK(block.scheduler.running().warp_interval == 3);  // later than everything that either half did
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

TEST_CASE("a lane outside its own mask takes part in nothing, and is told", "[block_scheduler]") {
  Block block(32);
  if (GENERATE(false, true)) block.shuffle(12);
  block.run([&](std::uint32_t thread) {
    if (thread <= 16) block.exchange(WarpOperation::sync, 0x0000FFFFu);
  });
  REQUIRE(block.events.lanes.size() == 1);
  CHECK(block.events.lanes[0].why == LaneEvent::Why::mask_without_caller);
  CHECK(block.events.lanes[0].by.thread == 16);
  CHECK(block.events.lanes[0].mask == 0x0000FFFFu);
  CHECK(std::string(block.events.lanes[0].function) == "__syncwarp()");
  CHECK(block.events.warp_syncs.size() == 1);
  CHECK(block.events.divergences.empty());
}

TEST_CASE("a shuffle from a lane that takes no part brings something undefined, and is told why", "[block_scheduler]") {
  Block block(40);
  if (GENERATE(false, true)) block.shuffle(13);
  block.scheduler.set_undefined(0x42);
  std::vector<std::uint64_t> got(40);
  block.run([&](std::uint32_t thread) {
    if (thread == 9) return;
    const std::uint32_t mask = thread < 16 ? 0x0000FFFFu : thread < 32 ? 0xFFFF0000u : ~0u;
    got[thread] = block.exchange(WarpOperation::shuffle, mask, thread, (thread + 1) % 32);
  });
  REQUIRE(block.events.lanes.size() == 4);
  std::sort(block.events.lanes.begin(), block.events.lanes.end(), [](const auto& a, const auto& b) { return a.by.thread < b.by.thread; });
  CHECK(block.events.lanes[0].by.thread == 8);
  CHECK(block.events.lanes[0].why == LaneEvent::Why::source_has_left);
  CHECK(block.events.lanes[1].by.thread == 15);
  CHECK(block.events.lanes[1].why == LaneEvent::Why::source_not_in_mask);
  CHECK(block.events.lanes[1].source == 16);
  CHECK(block.events.lanes[2].by.thread == 31);
  CHECK(block.events.lanes[3].by.thread == 39);
  CHECK(block.events.lanes[3].why == LaneEvent::Why::source_does_not_exist);
  for (const std::uint32_t thread : {8u, 15u, 31u, 39u}) CHECK(got[thread] == 0x4242424242424242u);
  CHECK(got[0] == 1);
}

TEST_CASE("lanes that call different warp functions with one mask diverge", "[block_scheduler]") {
  Block block(32);
  block.run([&](std::uint32_t thread) {
    block.exchange(thread < 8 ? WarpOperation::sync : WarpOperation::ballot, ~0u, 1, 0, thread < 8 ? here : there);
  });
  REQUIRE(block.events.divergences.size() == 1);
  CHECK(block.events.divergences[0].within_warp);
  CHECK(block.events.divergences[0].second.thread == 8);
}
