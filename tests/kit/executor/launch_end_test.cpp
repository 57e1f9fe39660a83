// When the machine ends a launch: a used-up budget, threads that wait for something that never happens, a trap. And when it lets
// a thread wait.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/machine/machine.hpp"
#include "executor/submission/submission_data.hpp"
#include "machine_bench.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::machine_bench;

TEST_CASE("a launch ends when its budget is spent, at the event that spent it", "[machine]") {
  const bool by_edges = GENERATE(false, true);
  Bench bench(100);
  std::uint64_t steps = 0;
  bench.run({3, 1, 1}, {4, 1, 1}, [&] {
    for (;; ++steps) {
      if (by_edges)
        bench.machine.edge(pc);
      else
        bench.machine.access(bench.a->base, 4, AccessKind::read, false, {pc, 0});
    }
  });
  CHECK(steps == 100);
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->pc == pc);
  CHECK(bench.machine.timeout()->by.block == 0);
  CHECK_FALSE(bench.machine.timeout()->waiting_for_another_thread);
  CHECK(bench.machine.events() == 100);
  CHECK(bench.events.blocks.size() == 1);
  CHECK(bench.events.launch_ends == 1);
}

TEST_CASE("a launch that spends exactly its budget completes", "[machine]") {
  Bench bench(12);
  bench.run({3, 1, 1}, {4, 1, 1}, [&] { bench.machine.edge(pc); });
  CHECK_FALSE(bench.machine.timeout());
  CHECK(bench.machine.events() == 12);
}

TEST_CASE("a thread that polls lets the one it waits for run", "[machine]") {
  const bool is_volatile = GENERATE(false, true);
  Bench bench;
  bool set = false;
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 1) set = true;
    while (!set) bench.machine.access(bench.a->base, 4, is_volatile ? AccessKind::read : AccessKind::atomic, is_volatile, {pc, 0});
  });
  CHECK(set);
  CHECK_FALSE(bench.machine.timeout());
}

TEST_CASE("threads that wait for what nobody does time out as waiting", "[machine]") {
  Bench bench(100'000);
  bench.run({1, 1, 1}, {2, 1, 1}, [&] {
    for (;;) bench.machine.access(bench.a->base, 4, AccessKind::read, true, {pc, 0});
  });
  REQUIRE(bench.machine.timeout());
  CHECK(bench.machine.timeout()->waiting_for_another_thread);
}

TEST_CASE("a block waits for no other if it is the last, spins on shared memory, counts or walks", "[machine]") {
  const std::string how = GENERATE("last block", "shared", "counts", "walks");
  Bench bench(400'000);
  bench.run({how == "last block" ? 1u : 2u, 1, 1}, {2, 1, 1}, [&] {
    for (std::uintptr_t i = 0;; ++i) {
      bench.machine.access(how == "shared" ? bench.as() : bench.a->base, 4, AccessKind::read, true, {pc, 0});
      if (how == "counts") ++*reinterpret_cast<int*>(bench.a->base);
      if (how == "walks") bench.machine.access(bench.a->base + 4 + i % 23 * 4, 4, AccessKind::read, false, {pc, 0});
    }
  });
  REQUIRE(bench.machine.timeout());
  CHECK_FALSE(bench.machine.timeout()->waiting_for_another_block);
}

TEST_CASE("threads that hand a turn from one to the next wait long, and for each other", "[machine]") {
  Bench bench(20'000'000);
  int turn = 0;  // each thread waits for its turn, and turns are far apart
  bench.run({2, 1, 1}, {64, 1, 1}, [&] {
    const int mine = static_cast<int>(bench.machine.running().ref.thread) + 64 * static_cast<int>(bench.machine.running().ref.block);
    while (turn != mine) bench.machine.access(bench.a->base, 4, AccessKind::read, true, {pc, 0});
    for (int i = 0; i < 30'000; ++i) bench.machine.access(bench.a->base + 4 + i % 20 * 4, 4, AccessKind::atomic, false, {pc, 0});
    ++turn;
  });
  CHECK_FALSE(bench.machine.timeout());
  CHECK(turn == 128);
}

TEST_CASE("a trap ends the launch and says who and why", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({4, 1, 1}, {4, 1, 1}, [&] {
    if (bench.machine.running().ref.block == 1 && bench.machine.running().ref.thread == 2) bench.machine.trap("calls __trap()", pc);
    ++finished;
  });
  CHECK(finished == 6);
  REQUIRE(bench.machine.trapped());
  CHECK(bench.machine.trapped()->by.block == 1);
  CHECK(bench.machine.trapped()->by.thread == 2);
  CHECK_FALSE(bench.machine.timeout());
}
