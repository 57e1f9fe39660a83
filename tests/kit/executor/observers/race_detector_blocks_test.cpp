// Races on global memory between blocks and within one, without fences. Random grids are compared with the definition.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "handmade_grid.hpp"

using namespace tilelab::simt;
using tilelab::Verdict;
using namespace tilelab::simt::handmade_grid;

TEST_CASE("two blocks that use one element race when either writes, whichever ran first", "[race_detector]") {
  const auto second = GENERATE(reads, writes);
  const Touch one{.thread = 3, .kind = writes, .at = 8, .pc = 10, .block = 0},
      other{.thread = 1, .kind = second, .at = 8, .pc = 20, .block = 5};
  for (const auto& found : {between(one, other), between(other, one)}) {
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == Verdict::race);
    CHECK(found[0].site.pc == 10);
    CHECK(found[0].site.by.block == 0);
    CHECK(found[0].other.pc == 20);
    CHECK(found[0].other.by.block == 5);
    CHECK(element_name(*found[0].region, found[0].offset) == "C[2]");
  }
}

TEST_CASE("blocks that only read, or keep to bytes of their own, do not race", "[race_detector]") {
  CHECK(between({.kind = reads, .pc = 1, .block = 0}, {.kind = reads, .pc = 1, .block = 1}).empty());
  CHECK(between({.kind = writes, .at = 0, .pc = 1, .block = 0}, {.kind = writes, .at = 4, .pc = 1, .block = 1}).empty());
  CHECK(between({.kind = writes, .at = 0, .size = 1, .block = 0}, {.kind = writes, .at = 1, .size = 1, .block = 1}).empty());
  CHECK(between({.kind = writes, .at = 0, .size = 16, .block = 0}, {.kind = writes, .at = 12, .block = 1}).size() == 1);
}

TEST_CASE("atomics of two blocks do not race, an atomic and a plain access do, and one of block scope does", "[race_detector]") {
  const Touch one{.kind = atomic, .pc = 1, .block = 0};
  CHECK(between(one, {.kind = atomic, .pc = 2, .block = 1}).empty());
  CHECK(between(one, {.kind = reads, .pc = 2, .block = 1}).size() == 1);
  CHECK(between(one, {.kind = writes, .pc = 2, .block = 1}).size() == 1);
  CHECK(between(one, {.kind = atomic, .pc = 2, .block = 1, .block_scope = true}).size() == 1);
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch({.thread = 0, .kind = atomic, .pc = 1, .block_scope = true});
    launch.touch({.thread = 1, .kind = atomic, .pc = 1, .block_scope = true});
  });
  CHECK(grid.found().empty());
}

TEST_CASE("within a block a barrier orders global memory as it does shared memory", "[race_detector]") {
  const bool barrier = GENERATE(false, true);
  Grid grid;
  grid.block(0, [&](HandmadeLaunch& launch) {
    launch.touch(plain(0, writes, data, 1));
    if (barrier) launch.barrier();
    launch.touch(plain(1, reads, data, 2));
  });
  CHECK(grid.found().empty() == barrier);
}

TEST_CASE("a barrier of one block orders nothing for another", "[race_detector]") {
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, writes, data, 1));
    launch.barrier();
  });
  grid.block(1, [](HandmadeLaunch& launch) {
    launch.barrier();
    launch.touch(plain(0, reads, data, 2));
  });
  CHECK(grid.pairs() == Pairs{{1, 2}});
}

TEST_CASE("every reader is remembered, not only the last, and the smallest blocks are shown", "[race_detector]") {
  std::vector<std::uint64_t> order{3, 1, 2, 4};
  Grid grid;
  for (const std::uint64_t block : order) {
    grid.block(block, [](HandmadeLaunch& launch) { launch.touch(plain(7, reads, data, 2)); });
  }
  grid.block(2, [](HandmadeLaunch& launch) { launch.touch(plain(0, writes, data, 1)); });
  const auto found = grid.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].site.by.block == 2);
  CHECK(found[0].other.by.block == 1);
}

TEST_CASE("a __device__ variable is watched, an input is not", "[race_detector]") {
  Region variable = global_region(64), input = global_region(64);
  variable.space = Space::module;
  input.role = BufferRole::input;
  for (const auto& [region, races] : {std::pair(variable, true), std::pair(input, false)}) {
    Grid grid(region);
    for (const std::uint64_t block : {0, 1}) {
      grid.block(block, [](HandmadeLaunch& launch) { launch.touch(plain(0, writes, data, 1)); });
    }
    CHECK(grid.found().empty() == !races);
  }
}

TEST_CASE("equal values written by several are let pass only where a lab allows it", "[race_detector]") {
  const bool allowed = GENERATE(false, true), equal = GENERATE(false, true), between_blocks = GENERATE(false, true);
  std::array<std::uint32_t, 4> memory{};
  Region region = global_region(sizeof memory);
  region.base = reinterpret_cast<std::uintptr_t>(memory.data());
  FindingLog log;
  RaceDetector detector(log, allowed ? RaceDetector::SameValue::allowed : RaceDetector::SameValue::races);
  HandmadeLaunch launch(detector, region);
  for (std::uint32_t writer = 0; writer < 3; ++writer) {
    if (writer == 0 || between_blocks) launch.begin_block(writer);
    launch.touch(plain(writer, writes, 4, 10));
    memory[1] = equal ? 7 : writer;
    if (writer == 2 || between_blocks) launch.end_block();
  }
  launch.end();
  CHECK(log.deduplicated().empty() == (allowed && equal));
}

TEST_CASE("random grids: the racing statements are those of the definition, in every order of the blocks", "[race_detector]") {
  std::mt19937 random(GENERATE(range(1u, 31u)));
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 20; ++round) {
    std::vector<Touch> touches;
    std::map<std::uintptr_t, AccessKind> kind;
    for (std::uintptr_t pc = 1; pc <= 4; ++pc) kind[pc] = static_cast<AccessKind>(below(3));
    const std::uint32_t accesses = 2 + below(12), blocks = 1 + below(4);
    for (std::uint32_t i = 0; i < accesses; ++i) {
      const std::uintptr_t pc = 1 + below(4);
      touches.push_back({.thread = below(3), .kind = kind[pc], .at = below(12), .size = 1u << below(3), .pc = pc, .block = below(blocks)});
    }
    Pairs defined;
    for (const Touch& a : touches) {
      for (const Touch& b : touches) {
        const bool same_thread = a.block == b.block && a.thread == b.thread, overlap = a.at < b.at + b.size && b.at < a.at + a.size;
        const bool quiet = (a.kind == reads && b.kind == reads) || (a.kind == atomic && b.kind == atomic);
        if (!same_thread && overlap && !quiet) defined.insert(std::minmax(a.pc, b.pc));
      }
    }
    std::vector<std::uint64_t> order;
    for (std::uint64_t block = 0; block < blocks; ++block) order.push_back(block);
    for (int run = 0; run < 4; ++run) {
      Pairs found;
      bool reversed = false;
      for (bool again = true; again;) {  // like the judge: again in reverse order if only atomics ordered accesses
        Grid grid(global_region(64, 1));
        for (const std::uint64_t block : order) {
          grid.block(block, [&](HandmadeLaunch& launch) {
            for (const Touch& touch : touches) {
              if (touch.block == block) launch.touch(touch);
            }
          });
        }
        found.merge(grid.pairs());
        again = grid.needs_reversed_run() && !std::exchange(reversed, true);
        std::reverse(order.begin(), order.end());
        std::reverse(touches.begin(), touches.end());
      }
      REQUIRE(found == defined);
      std::shuffle(order.begin(), order.end(), random);
      std::shuffle(touches.begin(), touches.end(), random);
    }
  }
}
