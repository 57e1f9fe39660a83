// Races on global memory: between blocks, within one, and what fences with atomics and volatile accesses order.
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

#include "handmade_launch.hpp"
#include "simt/observers/race_detector.hpp"

using namespace tilelab::simt;

namespace {

constexpr AccessKind reads = AccessKind::read, writes = AccessKind::write, atomic = AccessKind::atomic;
constexpr std::uint64_t data = 0, ticket = 64, flag = 128;  // places, in bytes

// A launch on one buffer whose blocks a test runs in the order it likes.
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
    return log_.folded();
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
std::vector<RawFinding> between(Touch first, Touch second) {
  Grid grid;
  grid.block(first.block, [&](HandmadeLaunch& launch) { launch.touch(first); });
  grid.block(second.block, [&](HandmadeLaunch& launch) { launch.touch(second); });
  return grid.found();
}

Touch plain(std::uint32_t thread, AccessKind kind, std::uint64_t at, std::uintptr_t pc) { return {thread, kind, at, 4, pc}; }

// What each block of a last-block reduction does; the last one to run reads what all have written.
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

using Pairs = std::set<std::pair<std::uintptr_t, std::uintptr_t>>;

}  // namespace

TEST_CASE("two blocks that use one element race when either writes, whichever ran first", "[race_detector]") {
  const auto second = GENERATE(reads, writes);
  const Touch one{.thread = 3, .kind = writes, .at = 8, .pc = 10, .block = 0},
      other{.thread = 1, .kind = second, .at = 8, .pc = 20, .block = 5};
  for (const auto& found : {between(one, other), between(other, one)}) {
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FindingKind::race);
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
  if (!all_fence) CHECK(element_name(*found[0].region, found[0].offset) == "C[66]");  // thread 2's
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
  CHECK(log.folded().empty() == (allowed && equal));
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
      for (bool again = true; again;) {  // as the judge does: once more the other way round where atomics alone order
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
