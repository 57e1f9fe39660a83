// A launch whose events go on gets further periods of processor time; one without events does not.
#include "runner/launch_signals.hpp"

#include <catch2/catch_test_macros.hpp>

using tilelab::LaunchClock;

TEST_CASE("a launch without events has one period of processor time", "[launch-clock]") {
  LaunchClock clock(32'000, 100);
  CHECK_FALSE(clock.another_period(0, 100));
}

TEST_CASE("a launch that makes events slowly has more periods, but not without end", "[launch-clock]") {
  LaunchClock clock(32'000, 100);
  CHECK(clock.another_period(1'001, 100));
  CHECK(clock.another_period(2'002, 200));
  CHECK(clock.another_period(3'003, 300));
  CHECK_FALSE(clock.another_period(4'004, 400));
}

TEST_CASE("a launch that has stopped making events has no further period", "[launch-clock]") {
  LaunchClock clock(32'000, 100);
  CHECK(clock.another_period(9'000, 100));
  CHECK_FALSE(clock.another_period(9'500, 200));
}

TEST_CASE("a launch on a busy machine has no period that nobody would wait for", "[launch-clock]") {
  LaunchClock clock(32'000, 100);
  CHECK(clock.another_period(2'000, 200));
  CHECK_FALSE(clock.another_period(4'000, 400));
}
