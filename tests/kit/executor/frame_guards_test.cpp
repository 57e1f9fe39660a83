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

TEST_CASE("locals are counted as if there were no guards", "[frame_guards]") {
  const FrameGuards guards({frame()});
  const GuardedFrame& one = guards.frames()[0];
  CHECK(one.look(-100, 1).bytes_above == 48);
  CHECK(one.look(-60, 1).bytes_above == 16);
  CHECK(one.look(-8, 1).bytes_above == 0);
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
  gaps.add_caller({1000, 1100, 16});
  gaps.add_caller({2000, 2100, 32});
  REQUIRE(gaps.of_caller(1000, 100) != nullptr);
  CHECK(gaps.of_caller(1000, 100)->guards_above == 16);
  CHECK(gaps.of_caller(999, 4) == nullptr);
  CHECK(gaps.of_caller(1097, 4) == nullptr);
  CHECK(gaps.of_caller(1004, ~std::size_t{0}) == nullptr);  // the end of such an access is a small number
  gaps.forget_below(1500);
  CHECK(gaps.of_caller(1000, 4) == nullptr);
  CHECK(gaps.of_caller(2000, 4) != nullptr);
}

TEST_CASE("two gaps of a caller's frame that end at the same place are one", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  gaps.add_caller({1050, 1100, 16});
  gaps.add_caller({1000, 1100, 16});
  CHECK(gaps.of_caller(1000, 100) != nullptr);
  gaps.add_caller({900, 1100, 32});  // other guards lie above it, so one of the two ends is not what it was
  CHECK(gaps.of_caller(900, 4)->guards_above == 32);
  CHECK(gaps.of_caller(1000, 4)->guards_above == 16);
}

TEST_CASE("a gap of a function's own frame is known for the instruction, wherever the frame lies", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  const auto below = [](std::uintptr_t bytes) { return 0 - bytes; };
  gaps.add_own(77, {below(64), below(32), 16});
  for (const std::uintptr_t frame : {5000, 9000}) {
    REQUIRE(gaps.of_own(77, frame, frame - 64, 32) != nullptr);
    CHECK(gaps.of_own(77, frame, frame - 64, 4)->guards_above == 16);
    CHECK(gaps.of_own(77, frame, frame - 65, 4) == nullptr);
    CHECK(gaps.of_own(77, frame, frame - 34, 4) == nullptr);
    CHECK(gaps.of_own(77, frame, frame - 60, ~std::size_t{0}) == nullptr);
    CHECK(gaps.of_own(78, frame, frame - 64, 4) == nullptr);
  }
}

TEST_CASE("what lies in the frames of callers is known until another function begins there", "[frame_guards]") {
  tilelab::simt::LocalGaps gaps;
  CHECK(gaps.beyond(5000) == nullptr);
  gaps.set_beyond(5000, 48);
  REQUIRE(gaps.beyond(5000) != nullptr);
  CHECK(*gaps.beyond(5000) == 48);
  gaps.forget_below(5000);
  CHECK(gaps.beyond(5000) == nullptr);
}
