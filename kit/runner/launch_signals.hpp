// Signals that a launch can end by, its clock, and memory that runs out. Each ends the process after its answer was given.
#pragma once

#include <cstdint>
#include <functional>

namespace tilelab {

inline constexpr int no_memory_status = 4;  // the exit status where memory was too short even to say so

// What gives the answer. Called from a signal handler, or where memory has run out; afterwards the process ends.
struct LaunchEmergency {
  // A signal arrived at instruction `pc`. `address` is the address of the access, if there was one.
  std::function<void(int signal, std::uintptr_t pc, std::uintptr_t address)> crashed;
  std::function<void()> out_of_memory;
  // Whether the launch may have as much processor time again. Otherwise it has crashed with SIGPROF, or with SIGXCPU where a sandbox ends
  // it.
  std::function<bool()> may_go_on;
};

// While it lives, all that goes to `emergency`, which lives longer. That is asked each time that `clock_ms` of processor time are used up.
// One at a time in a process.
class LaunchSignals {
 public:
  LaunchSignals(const LaunchEmergency& emergency, unsigned clock_ms);  // throws std::bad_alloc, std::runtime_error
  ~LaunchSignals();
  LaunchSignals(const LaunchSignals&) = delete;
  LaunchSignals& operator=(const LaunchSignals&) = delete;
};

// Whether a launch that has used up a period of processor time may have another. A loop that makes no events ends after the first period.
// A launch that goes on making events has its budget, which is the same on every machine: the clock of a slow one must not end it first.
class LaunchClock {
 public:
  // `event_budget`: the events that the launch may make in all. `period_ms`: of processor time.
  LaunchClock(std::uint64_t event_budget, std::uint64_t period_ms) : least_(event_budget / share_of_a_period + 1), period_ms_(period_ms) {}

  // A period is over. The launch has made `events` so far, and `elapsed_ms` have passed on the wall. Whoever waits for its answer waits for
  // protocol::wall_clock_factor periods, so a further one is given only if it is likely to end long before.
  bool another_period(std::uint64_t events, std::uint64_t elapsed_ms) {
    const bool moves = events - seen_ >= least_;
    seen_ = events;
    ++used_;
    const std::uint64_t next_ends_ms = elapsed_ms / used_ * (used_ + 1);
    return moves && used_ < most_periods && next_ends_ms <= most_elapsed_periods * period_ms_;
  }

 private:
  static constexpr std::uint64_t share_of_a_period = 32;  // of the budget is used in a period, or more
  static constexpr unsigned most_periods = 4, most_elapsed_periods = 5;
  std::uint64_t least_, period_ms_, seen_ = 0;
  unsigned used_ = 0;
};

}  // namespace tilelab
