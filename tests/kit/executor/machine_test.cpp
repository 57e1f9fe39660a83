// How the machine treats a kernel's accesses: which memory they belong to, and which may continue.
#include "executor/machine/machine.hpp"

#include <array>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/submission/submission_data.hpp"
#include "machine_bench.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::machine_bench;
TEST_CASE("every thread of every block runs with its own indices, x fastest", "[machine]") {
  Bench bench;
  std::vector<std::uint64_t> blocks, threads;
  bench.run({2, 3, 2}, {4, 2, 2}, [&] {
    blocks.push_back(bench.machine.running().ref.block);
    threads.push_back(bench.machine.running().ref.thread);
  });
  CHECK(blocks.size() == 12 * 16);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CHECK(blocks[i] == i / 16);
    CHECK(threads[i] == i % 16);
  }
  CHECK(bench.events.launches.size() == 1);
  CHECK(bench.events.launch_ends == 1);
}

TEST_CASE("a seed shuffles blocks and threads, the same way each time, and leaves none out", "[machine]") {
  std::vector<std::uint64_t> runs[3];
  const std::uint64_t seeds[3] = {1, 1, 2};
  for (int i = 0; i < 3; ++i) {
    Bench bench;
    bench.run(
        {5, 5, 1}, {8, 1, 1}, [&] { runs[i].push_back(bench.machine.running().ref.block * 8 + bench.machine.running().ref.thread); },
        seeds[i]);
  }
  CHECK(runs[0] == runs[1]);
  CHECK(runs[0] != runs[2]);
  std::sort(runs[2].begin(), runs[2].end());
  for (std::size_t i = 0; i < 200; ++i) CHECK(runs[2][i] == i);
}

TEST_CASE("an access inside declared memory is announced with region and offset, and goes on", "[machine]") {
  Bench bench;
  CHECK(bench.survives(bench.a->base + 96, 4, AccessKind::write));
  CHECK(bench.survives(bench.as() + 36, 4, AccessKind::atomic));
  REQUIRE(bench.events.accesses.size() == 2);
  const auto& [global, shared] = std::pair(bench.events.accesses[0], bench.events.accesses[1]);
  CHECK(global.region == bench.a);
  CHECK(global.space == Space::global);
  CHECK(global.offset == 96);
  CHECK(global.size == 4);
  CHECK(global.pc == pc);
  CHECK(shared.space == Space::shared);
  CHECK(shared.region->name == "As");
  CHECK(shared.offset == 36);
  CHECK(shared.kind == AccessKind::atomic);
  CHECK(bench.events.strays.empty());
}

TEST_CASE("the compiler's own note beside shared arrays is nobody's business", "[machine]") {
  Bench bench;
  const std::uintptr_t guard = bench.as() + 48;
  bench.memory().add_guard(guard, guard + 8);
  CHECK(bench.survives(guard, 1, AccessKind::read));
  CHECK(bench.survives(guard, 1, AccessKind::write));
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.strays.empty());
  CHECK(bench.survives(guard + 8, 1, AccessKind::read));
  CHECK(bench.events.strays.size() == 1);
}

TEST_CASE("an access that runs over into a red zone is stray, and harmless", "[machine]") {
  Bench bench;
  const std::uintptr_t base = bench.a->base, end = base + 100;
  for (const auto& [address, size] : std::initializer_list<std::pair<std::uintptr_t, std::size_t>>{
           {base - 1, 4}, {base - red_zone_bytes, 16}, {end, 4}, {end - 2, 4}, {end + red_zone_bytes - 16, 16}}) {
    bench.events.strays.clear();
    CHECK(bench.survives(address, size, AccessKind::write));
    REQUIRE(bench.events.strays.size() == 1);
    CHECK(bench.events.strays[0].nearest == bench.a);
  }
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.ended.empty());
}

TEST_CASE("an access beyond the red zones ends its thread before it happens", "[machine]") {
  Bench bench;
  const std::uintptr_t base = bench.a->base, end = base + 100;
  static int of_the_kit;
  for (const auto& [address, size] :
       std::initializer_list<std::pair<std::uintptr_t, std::size_t>>{{0, 4},
                                                                     {8, 4},
                                                                     {base - red_zone_bytes - 1, 4},
                                                                     {end + red_zone_bytes - 2, 4},
                                                                     {end, red_zone_bytes + 1},
                                                                     {base, std::numeric_limits<std::size_t>::max()},
                                                                     {std::numeric_limits<std::uintptr_t>::max() - 1, 4},
                                                                     {std::uintptr_t{1} << 63, 8},
                                                                     {reinterpret_cast<std::uintptr_t>(&of_the_kit), 4}}) {
    bench.events.strays.clear();
    CHECK_FALSE(bench.survives(address, size, AccessKind::write));
    CHECK(bench.events.strays.size() == 1);
  }
  CHECK(bench.events.accesses.empty());
}

TEST_CASE("past a shared array but inside the block's span goes on, past the span does not", "[machine]") {
  Bench bench;
  CHECK(bench.survives(bench.as() + 40, 4));
  CHECK(bench.survives(bench.as() + 38, 4));
  CHECK(bench.survives(bench.as() + 60, 4));
  CHECK_FALSE(bench.survives(bench.as() + 62, 4, AccessKind::write));
  CHECK_FALSE(bench.survives(bench.as() - 4, 4, AccessKind::write));
  CHECK_FALSE(bench.survives(bench.as() - 2, 4, AccessKind::write));
  REQUIRE(bench.events.strays.size() == 6);
  CHECK(bench.events.strays[0].nearest->name == "As");
}

TEST_CASE("a stray access ends one thread, not the launch", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({2, 1, 1}, {8, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 3) bench.machine.access(16, 4, AccessKind::write, false, {pc, 0});
    bench.machine.barrier(pc, BarrierReduction::none, 0);
    ++finished;
  });
  CHECK(finished == 14);
  CHECK(bench.events.ended == std::vector<std::uint32_t>{3, 3});
}

TEST_CASE("a bad subscript and a bad alignment end their thread", "[machine]") {
  Bench bench;
  int finished = 0;
  bench.run({1, 1, 1}, {3, 1, 1}, [&] {
    if (bench.machine.running().ref.thread == 0) bench.machine.index_outside({-1, 16}, {pc, 0});
    if (bench.machine.running().ref.thread == 1) bench.machine.misaligned(bench.a->base + 1, 4, {pc, 0});
    ++finished;
  });
  CHECK(finished == 1);
  REQUIRE(bench.events.indices.size() == 1);
  CHECK(bench.events.indices[0].index == -1);
  CHECK(bench.events.indices[0].bound == 16);
  REQUIRE(bench.events.misaligned.size() == 1);
  CHECK(bench.events.misaligned[0].thread == 1);
}

TEST_CASE("locals are not announced and cost nothing", "[machine]") {
  Bench bench;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    volatile int local = 0;
    bench.machine.access(reinterpret_cast<std::uintptr_t>(&local), 4, AccessKind::read, false, {pc, 0});
  });
  CHECK(bench.events.accesses.empty());
  CHECK(bench.machine.events() == 0);
}

TEST_CASE("a thread's index may be read, never written", "[machine]") {
  Bench bench;
  CHECK(bench.survives(builtin_variables().first, 4));
  CHECK(bench.events.strays.empty());
  CHECK_FALSE(bench.survives(builtin_variables().first, 4, AccessKind::write));
  CHECK(bench.events.strays.size() == 1);
}

TEST_CASE("a write to the stack spares the links between frames and the kit's own frames", "[machine]") {
  // Two frames as a compiler lays them out: a link to the caller's frame, then the return address. [4] belongs to a helper, [10]
  // to the kernel, [14] to the kit's call of it. Locals are below these on x86-64, above them on 64-bit ARM.
  const auto [word, size, on_x86, on_arm] = GENERATE(table<std::size_t, std::size_t, bool, bool>({{0, 8, true, false},
                                                                                                  {3, 8, true, false},
                                                                                                  {3, 9, false, false},
                                                                                                  {4, 8, false, false},
                                                                                                  {5, 1, false, false},
                                                                                                  {6, 8, true, true},
                                                                                                  {6, 32, true, true},
                                                                                                  {6, 33, false, false},
                                                                                                  {10, 4, false, false},
                                                                                                  {11, 4, false, false},
                                                                                                  {12, 16, false, true},
                                                                                                  {13, 16, false, false},
                                                                                                  {14, 8, false, false},
                                                                                                  {15, 8, false, false},
                                                                                                  {17, 8, false, false}}));
#if defined(__aarch64__)
  const bool allowed = on_arm;
#else
  const bool allowed = on_x86;
#endif
  Bench bench;
  bool went_on = false;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 18> frames{};
    const auto at = [&frames](std::size_t i) { return reinterpret_cast<std::uintptr_t>(&frames[i]); };
    frames[4] = at(10);
    frames[10] = at(14);
    bench.machine.entered_kernel(at(14));
    bench.machine.access(at(word), size, AccessKind::write, false, {pc, at(4)});
    went_on = true;
  });
  CAPTURE(word, size, on_x86, on_arm);
  CHECK(went_on == allowed);
  CHECK(bench.events.strays.size() == (allowed ? 0u : 1u));
}

TEST_CASE("a frame chain that leads off the stack is followed no further", "[machine]") {
  Bench bench;
  const std::uintptr_t caller = GENERATE(std::uintptr_t{0}, std::uintptr_t{8}, std::numeric_limits<std::uintptr_t>::max());
  bool went_on = false;
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 8> frames{};
    frames[0] = caller;
    bench.machine.entered_kernel(1);
    bench.machine.access(reinterpret_cast<std::uintptr_t>(&frames[4]), 8, AccessKind::write, false,
                         {pc, reinterpret_cast<std::uintptr_t>(frames.data())});
    went_on = true;
  });
  CHECK(went_on);
}

TEST_CASE("an access by the kit's header code is its calling statement's", "[machine]") {
  Bench bench(1000, 64, {{0x100, 0x200}, {0x300, 0x400}});
  bench.run({1, 1, 1}, {1, 1, 1}, [&] {
    std::array<std::uintptr_t, 8> frames{};
    const auto at = [&frames](std::size_t i) { return reinterpret_cast<std::uintptr_t>(&frames[i]); };
    frames[0] = at(4);
    frames[1] = 0x310;  // called by header code,
    frames[4] = at(6);
    frames[5] = 0x555;  // which the submission called
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, {0x180, at(0)});
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, {0x250, at(0)});  // between the two: not header code
    bench.machine.access(bench.a->base, 4, AccessKind::read, false, {0x180, 0});      // no frame to follow
  });
  REQUIRE(bench.events.accesses.size() == 3);
  CHECK(bench.events.accesses[0].pc == 0x555);
  CHECK(bench.events.accesses[1].pc == 0x250);
  CHECK(bench.events.accesses[2].pc == 0x180);
}

TEST_CASE("shared memory holds the poison when a block starts, whatever the last one left there", "[machine]") {
  Bench bench;
  LaunchEvent launch;
  launch.grid = {3, 1, 1};
  launch.block = {1, 1, 1};
  launch.shared_poison = 0xA5;
  int clean = 0;
  bench.machine.run(
      launch,
      [&] {
        clean += std::all_of(shared_block.begin(), shared_block.begin() + 40, [](unsigned char byte) { return byte == 0xA5; }) ? 1 : 0;
        shared_block.fill(0);
      },
      {});
  CHECK(clean == 3);
}

TEST_CASE("accesses carry the interval and the warp interval they lie in", "[machine]") {
  Bench bench;
  const auto touch = [&] { bench.machine.access(bench.as(), 4, AccessKind::read, false, {pc, 0}); };
  bench.run({1, 1, 1}, {32, 1, 1}, [&] {
    touch();
    bench.machine.exchange(pc, {WarpOperation::sync, ~0u, 0, 0});
    touch();
    bench.machine.barrier(pc, BarrierReduction::none, 0);
    touch();
    bench.machine.fence(pc);
  });
  REQUIRE(bench.events.accesses.size() == 96);
  for (std::size_t i = 0; i < 96; ++i) {
    CHECK(bench.events.accesses[i].interval == (i < 64 ? 0u : 1u));
    CHECK(bench.events.accesses[i].warp_interval == (i >= 32 && i < 64 ? 1u : 0u));
  }
  CHECK(bench.events.fences.size() == 32);
}

TEST_CASE("reads of constants are nobody's business, what lies behind them is", "[machine]") {
  Bench bench;
  const auto table = reinterpret_cast<std::uintptr_t>(constants.data());
  CHECK(bench.survives(table, 4));
  CHECK(bench.survives(table + sizeof constants - 4, 4));
  CHECK(bench.events.accesses.empty());
  CHECK(bench.events.strays.empty());
  CHECK_FALSE(bench.survives(table + sizeof constants - 2, 4));
  CHECK(bench.events.strays.size() == 1);
}
