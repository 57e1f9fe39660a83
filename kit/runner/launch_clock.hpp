// Whether a launch that has used up a period of processor time may have another. A loop that makes no events ends after the first period.
// A launch that goes on making events has its budget, which is the same on every machine: the clock of a slow one must not end it first.
#pragma once

#include <cstdint>

namespace tilelab {

class LaunchClock {
 public:
  // `event_budget`: the events that the launch may make in all.
  explicit LaunchClock(std::uint64_t event_budget) : least_(event_budget / share_of_a_period + 1) {}

  // A period is over, and the launch has made `events` so far.
  bool another_period(std::uint64_t events) {
    const bool moves = events - seen_ >= least_;
    seen_ = events;
    return moves && ++used_ < most_periods;
  }

 private:
  static constexpr std::uint64_t share_of_a_period = 32;  // of the budget is used in a period, or more
  static constexpr unsigned most_periods = 4;             // the wall clock gives a launch six
  std::uint64_t least_, seen_ = 0;
  unsigned used_ = 0;
};

}  // namespace tilelab
