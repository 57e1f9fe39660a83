// A launch whose events go on gets further periods of processor time; one without events does not.
#include "runner/launch_clock.hpp"

#include <catch2/catch_test_macros.hpp>

using tilelab::LaunchClock;

TEST_CASE("a launch without events has one period of processor time", "[launch-clock]") {
  LaunchClock clock(32'000);
  CHECK_FALSE(clock.another_period(0));
}

TEST_CASE("a launch that makes events slowly has more periods, but not without end", "[launch-clock]") {
  LaunchClock clock(32'000);
  CHECK(clock.another_period(1'001));
  CHECK(clock.another_period(2'002));
  CHECK(clock.another_period(3'003));
  CHECK_FALSE(clock.another_period(4'004));
}

TEST_CASE("a launch that has stopped making events has no further period", "[launch-clock]") {
  LaunchClock clock(32'000);
  CHECK(clock.another_period(9'000));
  CHECK_FALSE(clock.another_period(9'500));
}
