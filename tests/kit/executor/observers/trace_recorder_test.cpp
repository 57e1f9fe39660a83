// What one block did, with the values in memory at that time.
#include "executor/observers/trace_recorder.hpp"

#include <array>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

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

TEST_CASE("a thread that never ends does not fill the recording, which stops and keeps what came before", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100, {}, {}, 3);
  HandmadeLaunch launch(recorder, region);
  recorder.on_launch_begin({});
  launch.begin_block();
  for (int i = 0; i < 3; ++i) launch.touch({.thread = 1, .kind = AccessKind::read, .at = 4});
  launch.touch({.thread = 2, .kind = AccessKind::read, .at = 8});
  CHECK_FALSE(recorder.full());
  launch.touch({.thread = 1, .kind = AccessKind::read, .at = 4});
  CHECK(recorder.full());
  launch.touch({.thread = 2, .kind = AccessKind::read, .at = 8});
  launch.barrier();
  launch.end_block();
  CHECK(recorder.steps().size() == 4);
  CHECK(recorder.steps().back().thread == 2);
  CHECK_FALSE(recorder.complete());
}

TEST_CASE("a block in which the launch was ended is not complete", "[trace_recorder]") {
  const auto [stopped, complete] = GENERATE(table<std::uint64_t, bool>({{0, false}, {1, true}}));
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  launch.end_block();
  recorder.stopped_in(stopped);
  CHECK(recorder.complete() == complete);
  CHECK_FALSE(recorder.full());
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

namespace {

LaneResult brought(std::uint32_t lane, std::uint32_t source, std::uint64_t value, std::uint32_t bytes = 4) {
  return {.lane = lane, .source = source, .pc = 0x50, .function = "", .value = value, .bytes = bytes, .type = ExchangedType::natural};
}

}  // namespace

TEST_CASE("who waits and who has left is told, and that a thread has left only once", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  const std::array stands{Standing{0, Standing::Where::waits, 0x10}, Standing{1, Standing::Where::left, 0x20}};
  recorder.on_standstill({0, 0, stands});
  launch.barrier();
  recorder.on_standstill({0, 1, stands});
  recorder.on_standstill({7, 1, stands});  // another block
  launch.end_block();
  const auto& steps = recorder.steps();
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].kind == TraceStep::Kind::wait);
  CHECK(steps[0].pc == 0x10);
  CHECK(steps[1].kind == TraceStep::Kind::leave);
  CHECK(steps[1].thread == 1);
  CHECK(steps[2].kind == TraceStep::Kind::barrier);
  CHECK(steps[3].kind == TraceStep::Kind::wait);
  CHECK(steps[3].interval == 1);
  CHECK(steps[3].slot == steps[0].slot);
  CHECK(steps[1].slot != steps[0].slot);
}

TEST_CASE("a warp operation is a step of each lane with what it brings and from where", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{};
  const Region region = region_over(memory);
  TraceRecorder recorder(0, 100);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block();
  const std::array lanes{brought(0, 1, 70), brought(1, 2, 99, 0)};
  recorder.on_warp_operation({0, 1, 0, lanes});
  recorder.on_undefined_lane({.by = {0, 5}, .pc = 0x51, .why = LaneEvent::Why::mask_without_caller, .function = "__all_sync()"});
  recorder.on_undefined_lane({.by = {0, 5}, .pc = 0x51, .why = LaneEvent::Why::source_has_left});  // its exchange says it
  launch.end_thread(5);
  launch.end_block();
  const auto& steps = recorder.steps();
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].kind == TraceStep::Kind::exchange);
  CHECK(steps[0].thread == 32);
  CHECK(steps[0].offset == 1);
  CHECK(steps[0].bits == 70);
  CHECK(steps[1].bytes == 0);
  CHECK(steps[1].bits == 0);
  CHECK(steps[0].slot == steps[1].slot);
  CHECK(steps[2].thread == 5);
  CHECK(steps[2].bytes == 0);
  CHECK(steps[3].kind == TraceStep::Kind::stop);
}

TEST_CASE("two blocks are recorded in the order in which they ran, and the second one's threads count from 1024", "[trace_recorder]") {
  std::array<std::uint32_t, 4> memory{1, 2, 3, 4};
  const Region region = region_over(memory);
  TraceRecorder recorder(2, 100, {}, 0);
  HandmadeLaunch launch(recorder, region);
  launch.begin_block(0);
  launch.touch({.thread = 3, .at = 4});
  launch.barrier();
  launch.end_block();
  launch.begin_block(1);
  launch.touch({.thread = 3, .at = 4});
  launch.end_block();
  launch.begin_block(2);
  CHECK_FALSE(recorder.complete());
  launch.touch({.thread = 3, .at = 8});
  launch.end_block();
  const auto& steps = recorder.steps();
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].thread == TraceRecorder::beside_from + 3);
  CHECK(steps[1].kind == TraceStep::Kind::barrier);
  CHECK(steps[1].thread == TraceRecorder::beside_from);
  CHECK(steps[2].thread == 3);
  CHECK(recorder.complete());
}
