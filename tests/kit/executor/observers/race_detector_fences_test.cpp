// What fences with atomics, volatile flags and locks order, between blocks and within one.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "handmade_grid.hpp"

using namespace tilelab::simt;
using namespace tilelab::simt::handmade_grid;

namespace {

// What each block of a last-block reduction does. The last one to run reads what all have written.
struct LastBlock {
  bool fence = true, atomic_ticket = true, fence_after_ticket = false, block_fence = false, resets = true;

  void operator()(HandmadeLaunch& launch, std::uint64_t block, bool is_last, std::uint64_t blocks) const {
    for (std::uint32_t thread = 0; thread < 4; ++thread) launch.touch(plain(thread, writes, 256 + block * 16 + thread * 4, 10));
    launch.barrier();
    if (fence) launch.fence(0, block_fence);
    if (atomic_ticket) {
      launch.touch(plain(0, atomic, ticket, 20));
    } else {
      launch.touch(plain(0, reads, ticket, 20));
      launch.touch(plain(0, writes, ticket, 21));
    }
    if (fence_after_ticket) launch.fence(0);
    launch.barrier();
    if (!is_last) return;
    for (std::uint64_t other = 0; other < blocks; ++other) launch.touch(plain(1, reads, 256 + other * 16, 30));
    if (resets) launch.touch(plain(0, writes, ticket, 40));
  }
};

std::set<std::pair<std::uintptr_t, std::uintptr_t>> reduce(const LastBlock& kernel, std::vector<std::uint64_t> order) {
  Grid grid;
  for (const std::uint64_t block : order) {
    grid.block(block, [&](HandmadeLaunch& launch) { kernel(launch, block, block == order.back(), order.size()); });
  }
  return grid.pairs();
}

}  // namespace

TEST_CASE("a last-block reduction with fence and atomic ticket is clean, whichever block is last", "[race_detector]") {
  CHECK(reduce({}, {0, 1, 2, 3}).empty());
  CHECK(reduce({}, {2, 3, 1, 0}).empty());
  CHECK(reduce({}, {3, 2, 0, 1}).empty());
}

TEST_CASE("a last-block reduction without its fence, or with the fence behind the ticket, races", "[race_detector]") {
  const Pairs partial{{10, 30}};
  CHECK(reduce({.fence = false}, {0, 1, 2}) == partial);
  CHECK(reduce({.fence = false}, {2, 0, 1}) == partial);
  CHECK(reduce({.fence = false, .fence_after_ticket = true}, {0, 1, 2}) == partial);
  CHECK(reduce({.block_fence = true}, {0, 1, 2}) == partial);
}

TEST_CASE("a ticket taken by a plain increment races and orders nothing", "[race_detector]") {
  const Pairs found = reduce({.atomic_ticket = false, .resets = false}, {0, 1, 2});
  CHECK(found == Pairs{{20, 21}, {21, 21}, {10, 30}});
}

TEST_CASE("a fence of every thread before the barrier serves the one that takes the ticket after it", "[race_detector]") {
  const bool all_fence = GENERATE(true, false);
  Grid grid(global_region(4096), 4);
  for (const std::uint64_t block : {0, 1}) {
    grid.block(block, [&](HandmadeLaunch& launch) {
      for (std::uint32_t thread = 0; thread < 4; ++thread) {
        launch.touch(plain(thread, writes, 256 + block * 16 + thread * 4, 10));
        if (all_fence || thread != 2) launch.fence(thread);
      }
      launch.barrier();
      launch.touch(plain(0, atomic, ticket, 20));
      launch.barrier();
      if (block == 1) {
        for (std::uint64_t element = 0; element < 8; ++element) launch.touch(plain(1, reads, 256 + element * 4, 30));
      }
    });
  }
  const auto found = grid.found();
  REQUIRE(found.size() == (all_fence ? 0 : 1));
  if (!all_fence) CHECK(element_name(*found[0].region, found[0].offset) == "C[66]");  // of thread 2
}

TEST_CASE("a fence covers what a __syncwarp() had joined its lane with, and no more", "[race_detector]") {
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(5, writes, data, 10));
    launch.touch(plain(37, writes, data + 4, 11));  // another warp
    launch.warp_sync(0);
    launch.fence(0);
    launch.touch({.thread = 0, .kind = atomic, .at = ticket, .pc = 20, .warp_interval = 1});
  });
  grid.block(1, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, atomic, ticket, 20));
    launch.fence(0);
    launch.touch(plain(0, reads, data, 30));
    launch.touch(plain(0, reads, data + 4, 31));
  });
  CHECK(grid.pairs() == Pairs{{11, 31}});
}

TEST_CASE("who takes a ticket knows nothing before a fence or a barrier of its own", "[race_detector]") {
  const std::string passes = GENERATE("nothing", "fence", "barrier");
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, writes, data, 10));
    launch.fence(0);
    launch.touch(plain(0, atomic, ticket, 20));
  });
  grid.block(1, [&](HandmadeLaunch& launch) {
    launch.touch(plain(0, atomic, ticket, 20));
    if (passes == "fence") launch.fence(0);
    if (passes == "barrier") launch.barrier();
    launch.touch(plain(0, reads, data, 30));
  });
  CHECK(grid.found().empty() == (passes != "nothing"));
  CHECK(grid.needs_reversed_run() == (passes != "nothing"));
}

TEST_CASE("a thread that fences is not excused by another thread's ticket", "[race_detector]") {
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, writes, data, 10));
    launch.fence(0);
    launch.touch(plain(0, atomic, ticket, 20));
  });
  grid.block(1, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, atomic, ticket, 20));
    launch.fence(0);
    launch.fence(1);
    launch.touch(plain(1, reads, data, 30));
  });
  CHECK(grid.pairs() == Pairs{{10, 30}});
}

TEST_CASE("volatile flags hand data from block to block to block", "[race_detector]") {
  Grid grid;
  for (const std::uint64_t block : {0, 1, 2}) {
    grid.block(block, [block](HandmadeLaunch& launch) {
      if (block > 0) {
        launch.touch({.kind = reads, .at = flag + 4 * (block - 1), .pc = 20, .is_volatile = true});
        launch.fence(0);
        launch.touch(plain(0, reads, data, 30));
      }
      if (block == 0) launch.touch(plain(0, writes, data, 10));
      launch.fence(0);
      launch.touch({.kind = writes, .at = flag + 4 * block, .pc = 40, .is_volatile = true});
    });
  }
  CHECK(grid.found().empty());
}

TEST_CASE("a volatile flag that is written anew hands over what its last writer knew, no more", "[race_detector]") {
  Grid grid;
  for (const std::uint64_t block : {0, 1}) {
    grid.block(block, [block](HandmadeLaunch& launch) {
      launch.touch(plain(0, writes, data + 4 * block, 10 + block));
      launch.fence(0);
      launch.touch({.kind = writes, .at = flag, .pc = 20, .is_volatile = true});
    });
  }
  grid.block(2, [](HandmadeLaunch& launch) {
    launch.touch({.kind = reads, .at = flag, .pc = 21, .is_volatile = true});
    launch.fence(0);
    launch.touch(plain(0, reads, data, 30));
    launch.touch(plain(0, reads, data + 4, 31));
  });
  CHECK(grid.pairs() == Pairs{{10, 30}, {20, 20}});
}

TEST_CASE("volatile alone is no substitute for a __syncwarp()", "[race_detector]") {
  const std::uint32_t reader = GENERATE(1u, 33u);
  Grid grid;
  grid.block(0, [&](HandmadeLaunch& launch) {
    launch.touch({.thread = 0, .kind = writes, .pc = 1, .is_volatile = true});
    launch.touch({.thread = reader, .kind = reads, .pc = 2, .is_volatile = true});
  });
  CHECK(grid.found().empty() == (reader == 33));
}

TEST_CASE("who took the last ticket may set the counter back without a fence", "[race_detector]") {
  CHECK(reduce({.fence = false}, {0, 1, 2}) == Pairs{{10, 30}});  // no pair with statement 40
  Grid grid;
  grid.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, atomic, ticket, 20));
    launch.touch(plain(1, atomic, ticket, 20));
    launch.touch(plain(1, writes, ticket, 40));
  });
  CHECK(grid.found().empty());
  Grid other;
  other.block(0, [](HandmadeLaunch& launch) {
    launch.touch(plain(0, atomic, ticket, 20));
    launch.touch(plain(1, writes, ticket, 40));
  });
  CHECK(other.pairs() == Pairs{{20, 40}});
}

TEST_CASE("a lock orders the threads of a block and the blocks of a grid, and forgotten fences show", "[race_detector]") {
  const auto [before, after] = GENERATE(std::pair(true, true), std::pair(false, true), std::pair(true, false));
  const bool is_shared = GENERATE(false, true);
  Grid grid(is_shared ? shared_region(256) : global_region(256));
  for (std::uint64_t block = 0; block < (is_shared ? 1u : 100u); ++block) {
    grid.block(block, [&](HandmadeLaunch& launch) {
      for (std::uint32_t thread = 0; thread < 40; ++thread) {
        launch.touch(plain(thread, atomic, ticket, 1));
        if (after) launch.fence(thread);
        launch.touch(plain(thread, reads, data, 10));
        launch.touch(plain(thread, writes, data, 11));
        if (before) launch.fence(thread);
        launch.touch(plain(thread, atomic, ticket, 2));
      }
    });
  }
  CHECK(grid.found().empty() == (before && after));
}

TEST_CASE("a grid that a kernel launches may have larger blocks, whose barriers count arrivals", "[race_detector]") {
  const Region region = global_region(4096);
  FindingLog log;
  RaceDetector detector(log);
  HandmadeLaunch launch(detector, region, 1);
  GridEvent child;
  child.block = {64, 1, 1};
  detector.on_grid_begin(child);
  launch.begin_block(1);
  detector.on_phases_begin();
  launch.touch(plain(40, writes, data, 10));
  detector.on_phase_arrival({1, 40}, {1, 0});
  detector.on_phase_awaited({1, 63}, {1, 0});
  launch.touch(plain(63, reads, data, 20));
  launch.touch(plain(62, reads, data, 30));
  launch.end_block();
  launch.end();
  REQUIRE(log.deduplicated().size() == 1);
  CHECK(log.deduplicated()[0].other.pc == 30);
}
