// What one block did, with the values in memory at that time.
#include "simt/observers/trace_recorder.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;

namespace {

Region region_over(std::array<std::uint32_t, 4>& memory) {
  Region region = shared_region(sizeof memory);
  region.base = reinterpret_cast<std::uintptr_t>(memory.data());
  return region;
}

}  // namespace

TEST_CASE("a read has the value before it, a write the one after it", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{7, 8, 9, 10};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  launch.touch({.thread = 3, .kind = AccessKind::read, .at = 4});
  launch.touch({.thread = 3, .kind = AccessKind::write, .at = 8});
  memory[2] = 90;
  launch.barrier();
  memory[2] = 91;
  launch.end_block();
  REQUIRE(recorder.steps().size() == 3);
  CHECK(recorder.steps()[0].bits == 8);
  CHECK(recorder.steps()[1].bits == 90);
  CHECK(recorder.steps()[2].kind == TraceStep::Kind::barrier);
  CHECK(recorder.complete());
}

TEST_CASE("wide accesses are their elements, other blocks are left out, and too many steps are told", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(1, 5);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block(0);
  launch.touch({.at = 0});
  launch.end_block();
  launch.begin_block(1);
  launch.touch({.at = 0, .size = 16});
  REQUIRE(recorder.steps().size() == 4);
  CHECK(recorder.steps()[3].bits == 4);
  CHECK(recorder.steps()[3].offset == 12);
  CHECK_FALSE(recorder.complete());
  launch.touch({.at = 0, .size = 16});
  launch.end_block();
  CHECK(recorder.steps().size() == 5);
  CHECK_FALSE(recorder.complete());
}

TEST_CASE("elements of one access are its parts, and lanes at one instruction have one slot", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  launch.touch({.thread = 0, .at = 0, .size = 16});
  launch.touch({.thread = 1, .at = 0, .size = 16});
  launch.touch({.thread = 1, .at = 0, .size = 4});
  launch.end_block();
  const auto& steps = recorder.steps();
  REQUIRE(steps.size() == 9);
  CHECK(steps[0].part == 0);
  CHECK(steps[3].part == 3);
  CHECK(steps[4].part == 0);
  CHECK(steps[0].slot == steps[4].slot);
  // Wide accesses to shared memory are served in another way, so they are no request together with narrow ones.
  CHECK(steps[8].slot != steps[0].slot);
}

TEST_CASE("an access outside is told as one of the array that it missed, before it or behind", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  Access access;
  access.size = 4;
  access.space = Space::shared;
  access.by = {0, 5};
  access.address = region.base - 4;
  recorder.on_stray(access, &region);
  recorder.on_stray(access, nullptr);
  access.address = region.base + 16;
  recorder.on_stray(access, &region);
  launch.end_block();
  REQUIRE(recorder.steps().size() == 2);
  CHECK(recorder.steps()[0].kind == TraceStep::Kind::outside);
  CHECK(static_cast<std::int64_t>(recorder.steps()[0].offset) == -4);
  CHECK(recorder.steps()[1].offset == 16);
  CHECK(recorder.steps()[1].bits == 0);
}
