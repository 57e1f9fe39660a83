// Races between blocks that take turns: what a block did before and after it waited, with and without fences, and the grid's barrier.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "executor/observers/race_detector.hpp"
#include "executor/observers/uninitialized_reads.hpp"
#include "handmade_launch.hpp"

using namespace tilelab::simt;

namespace {

constexpr AccessKind reads = AccessKind::read, writes = AccessKind::write, atomic = AccessKind::atomic;
constexpr std::uint64_t data = 0, other = 16, flag = 64, answer = 128;

struct Run {
  Region region = global_region(4096);
  FindingLog log;
  RaceDetector detector{log};
  HandmadeLaunch launch{detector, region, 64};

  std::size_t races() {
    launch.end();
    return log.deduplicated().size();
  }
};

}  // namespace

TEST_CASE("a block that waits in the middle of an interval has released what it wrote before", "[race_detector]") {
  const bool fenced = GENERATE(false, true);
  Run run;
  run.launch.begin_block(0);
  run.launch.touch({.thread = 0, .kind = writes, .at = data, .pc = 1});
  if (fenced) run.launch.fence(0);
  run.launch.touch({.thread = 0, .kind = atomic, .at = flag, .pc = 2});
  run.launch.park();
  run.launch.begin_block(1);
  run.launch.touch({.thread = 5, .kind = atomic, .at = flag, .pc = 3});
  run.launch.fence(5);
  run.launch.touch({.thread = 5, .kind = reads, .at = data, .pc = 4});
  run.launch.end_block();
  run.launch.resume(0, 0);
  run.launch.end_block();
  CHECK(run.races() == (fenced ? 0 : 1));
}

TEST_CASE("what a block does after it waited is not covered by what it released before", "[race_detector]") {
  const bool same_statement = GENERATE(false, true);
  Run run;
  run.launch.begin_block(0);
  run.launch.touch({.thread = 0, .kind = writes, .at = data, .pc = 1});
  run.launch.fence(0);
  run.launch.touch({.thread = 0, .kind = atomic, .at = flag, .pc = 2});
  run.launch.park();
  run.launch.begin_block(1);
  run.launch.touch({.thread = 5, .kind = atomic, .at = flag, .pc = 3});
  run.launch.fence(5);
  run.launch.touch({.thread = 5, .kind = reads, .at = data, .pc = 4});
  run.launch.end_block();
  run.launch.resume(0, 0);
  run.launch.touch({.thread = 0, .kind = writes, .at = data, .pc = same_statement ? 1u : 5u});
  run.launch.end_block();
  CHECK(run.races() == 1);
}

TEST_CASE("a block that goes on has acquired what another released meanwhile", "[race_detector]") {
  const bool fenced = GENERATE(false, true);
  Run run;
  run.launch.begin_block(0);
  run.launch.touch({.thread = 0, .kind = reads, .at = flag, .pc = 1, .is_volatile = true});
  run.launch.park();
  run.launch.begin_block(1);
  run.launch.touch({.thread = 3, .kind = writes, .at = data, .pc = 2});
  run.launch.fence(3);
  run.launch.touch({.thread = 3, .kind = writes, .at = flag, .pc = 3, .is_volatile = true});
  run.launch.end_block();
  run.launch.resume(0, 0);
  run.launch.touch({.thread = 0, .kind = reads, .at = flag, .pc = 1, .is_volatile = true});
  if (fenced) run.launch.fence(0);
  run.launch.touch({.thread = 0, .kind = reads, .at = data, .pc = 4});
  run.launch.end_block();
  CHECK(run.races() == (fenced ? 0 : 1));
}

TEST_CASE("threads of a block race across its wait as they do without one", "[race_detector]") {
  const bool barrier = GENERATE(false, true), shared = GENERATE(false, true);
  Run run;
  const Region array = shared_region(256);
  LaunchEvent event;
  event.block = {64, 1, 1};
  event.shared_span = 256;
  run.detector.on_launch_begin(event);
  const Region& where = shared ? array : run.region;
  run.launch.begin_block(0);
  run.launch.touch_in(where, {.thread = 0, .kind = writes, .at = other, .pc = 1});
  if (barrier) run.launch.barrier();
  run.launch.park();
  run.launch.begin_block(1);
  run.launch.touch_in(array, {.thread = 7, .kind = writes, .at = other, .pc = 9});
  run.launch.end_block();
  run.launch.resume(0, barrier ? 1 : 0);
  run.launch.touch_in(where, {.thread = 40, .kind = reads, .at = other, .pc = 2});
  run.launch.end_block();
  CHECK(run.races() == (barrier ? 0 : 1));
}

TEST_CASE("an atomic does not order what other blocks add while its block waits", "[race_detector]") {
  const bool before = GENERATE(false, true);
  Run run;
  const auto adds = [&] {
    run.launch.begin_block(1);
    run.launch.touch({.thread = 0, .kind = atomic, .at = answer, .pc = 1});
    run.launch.end_block();
  };
  if (before) adds();
  run.launch.begin_block(0);
  run.launch.touch({.thread = 0, .kind = atomic, .at = answer, .pc = 1});
  run.launch.park();
  if (!before) adds();
  run.launch.resume(0, 0);
  run.launch.touch({.thread = 0, .kind = writes, .at = answer, .pc = 2});
  run.launch.end_block();
  CHECK(run.races() == (before ? 0 : 1));
}

TEST_CASE("the grid's barrier orders everything before it and nothing within", "[race_detector]") {
  const bool synchronized = GENERATE(false, true);
  Run run;
  for (const std::uint64_t block : {0, 1}) {
    run.launch.begin_block(block);
    run.launch.touch({.thread = 1, .kind = writes, .at = data + 4 * block, .pc = 1});
    run.launch.barrier();
    run.launch.park();
  }
  if (synchronized) run.launch.grid_sync();
  for (const std::uint64_t block : {0, 1}) {
    run.launch.resume(block, 1);
    run.launch.touch({.thread = 2, .kind = reads, .at = data + 4 * (1 - block), .pc = 2});
    run.launch.touch({.thread = 2, .kind = writes, .at = other, .pc = 3});
    run.launch.end_block();
  }
  CHECK(run.races() == (synchronized ? 1 : 2));  // both blocks write `other` after it
}

TEST_CASE("a block that waited knows which of its shared memory it has written", "[uninitialized_reads]") {
  const bool written = GENERATE(false, true);
  const Region array = shared_region(256);
  FindingLog log;
  UninitializedReads detector(log);
  HandmadeLaunch launch(detector, array, 64);
  launch.begin_block(0);
  if (written) launch.touch({.thread = 0, .kind = writes, .at = 8, .pc = 1});
  launch.barrier();
  launch.park();
  launch.begin_block(1);
  launch.touch({.thread = 0, .kind = writes, .at = 8, .pc = 1});
  launch.end_block();
  launch.resume(0, 1);
  launch.touch({.thread = 4, .kind = reads, .at = 8, .pc = 2});
  launch.end_block();
  launch.end();
  CHECK(log.deduplicated().size() == (written ? 0 : 1));
}
