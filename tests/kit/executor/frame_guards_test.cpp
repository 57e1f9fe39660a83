// Guards between locals: which access hits one, and which variable it has missed.
#include "executor/submission/frame_guards.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::simt;

namespace {

Region array(const char* name, std::size_t elements) {
  Region region;
  region.name = name;
  region.bytes = 4 * elements;
  region.dimensions = {elements};
  return region;
}

// From below: low (8 bytes), 32 bytes that are nobody's, high (8 bytes), 16 more.
GuardedFrame frame() {
  GuardedFrame one;
  one.first = 1000;
  one.end = 1100;
  one.variables = {array("low", 2), array("high", 2)};
  one.begins = {-100, -60};
  one.zones = {{-92, -60, 0, 1}, {-52, -36, 1, -1}};
  return one;
}

}  // namespace

TEST_CASE("an access hits a guard if one of its bytes lies there", "[frame_guards]") {
  const FrameGuards guards({frame()});
  const GuardedFrame& one = guards.frames()[0];
  CHECK(one.look(-100, 8).zone == nullptr);
  CHECK(one.look(-96, 8).zone == &one.zones[0]);
  CHECK(one.look(-61, 1).zone == &one.zones[0]);
  CHECK(one.look(-60, 8).zone == nullptr);
  CHECK(one.look(-52, 4).zone == &one.zones[1]);
  CHECK(one.look(-36, 4).zone == nullptr);
  CHECK(one.look(-200, 4).zone == nullptr);
}

TEST_CASE("the nearer variable is the one that was missed", "[frame_guards]") {
  const GuardedFrame one = frame();
  const auto past = FrameGuards::missed_by(one, one.zones[0], -92, 4);
  REQUIRE(past.variable != nullptr);
  CHECK(past.variable->name == "low");
  CHECK(past.offset == 8);
  const auto before = FrameGuards::missed_by(one, one.zones[0], -64, 4);
  CHECK(before.variable->name == "high");
  CHECK(before.offset == -4);
  CHECK(FrameGuards::missed_by(one, one.zones[1], -40, 4).variable->name == "high");
}

TEST_CASE("a local array that a GPU keeps in local memory is told from what lies beside it", "[frame_guards]") {
  GuardedFrame with_arrays = frame();
  with_arrays.memory = {{-120, -112}, {-60, -52}};
  const FrameGuards guards({with_arrays});
  const GuardedFrame& one = guards.frames()[0];
  for (const auto& [offset, begin, end] : {std::tuple(-120, -120, -112), std::tuple(-53, -60, -52)}) {
    const auto look = one.look(offset, 1);
    CHECK((look.in_memory && look.begin == begin && look.end == end));
  }
  const auto beside = one.look(-104, 8);
  CHECK((!beside.in_memory && beside.begin == -112 && beside.end == -92));
  CHECK(!one.look(-36, 4).in_memory);
}

TEST_CASE("a function is found by an address behind one of its calls", "[frame_guards]") {
  const FrameGuards guards({frame()});
  CHECK(guards.frame_of(1000) == nullptr);
  CHECK(guards.frame_of(1001) != nullptr);
  CHECK(guards.frame_of(1100) != nullptr);
  CHECK(guards.frame_of(1101) == nullptr);
}

TEST_CASE("a gap of a caller's frame is known until a function begins whose frame may lie there", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  CHECK(gaps.of_caller(0, 0) == nullptr);
  gaps.add_caller({1000, 1100, false});
  gaps.add_caller({2000, 2100, true});
  REQUIRE(gaps.of_caller(1000, 100) != nullptr);
  CHECK(!gaps.of_caller(1000, 100)->in_memory);
  CHECK(gaps.of_caller(999, 4) == nullptr);
  CHECK(gaps.of_caller(1097, 4) == nullptr);
  CHECK(gaps.of_caller(1004, ~std::size_t{0}) == nullptr);  // the end of such an access is a small number
  gaps.forget_below(1500);
  CHECK(gaps.of_caller(1000, 4) == nullptr);
  CHECK(gaps.of_caller(2000, 4) != nullptr);
}

TEST_CASE("two gaps of a caller's frame that end at the same place are one", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  gaps.add_caller({1050, 1100, false});
  gaps.add_caller({1000, 1100, false});
  CHECK(gaps.of_caller(1000, 100) != nullptr);
  gaps.add_caller({900, 1100, true});  // it is another array, so one of the two ends is not what it was
  CHECK(gaps.of_caller(900, 4)->in_memory);
  CHECK(!gaps.of_caller(1000, 4)->in_memory);
}

TEST_CASE("a gap of a function's own frame is known for the instruction, wherever the frame lies", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  const auto below = [](std::uintptr_t bytes) { return 0 - bytes; };
  gaps.add_own(77, {below(64), below(32), true});
  for (const std::uintptr_t frame : {5000, 9000}) {
    REQUIRE(gaps.of_own(77, frame, frame - 64, 32) != nullptr);
    CHECK(gaps.of_own(77, frame, frame - 64, 4)->in_memory);
    CHECK(gaps.of_own(77, frame, frame - 65, 4) == nullptr);
    CHECK(gaps.of_own(77, frame, frame - 34, 4) == nullptr);
    CHECK(gaps.of_own(77, frame, frame - 60, ~std::size_t{0}) == nullptr);
    CHECK(gaps.of_own(78, frame, frame - 64, 4) == nullptr);
  }
}
