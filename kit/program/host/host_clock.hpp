// The processor time of the program and of all that it started, looked at now and then from outside: whatever it does with signals, it is
// known that its time was up. Not a limit by itself: whoever asks ends the program.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace tilelab::program {

// Of a child of this process and its descendants, as /proc counts it. What ended without being waited for is not in it. Zero where there is
// no /proc.
std::chrono::milliseconds processor_time(pid_t root);

class HostClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_looks{250};
  // `most`: of processor time; 0: no limit.
  HostClock(pid_t root, std::chrono::milliseconds most) : root_(root), most_(most) {}

  // Whether the time is up. Looks again once `between_looks` have passed.
  bool is_over();
  // Of a program that the kernel has ended for its time: whether that may be so. It was not seen since the last look.
  bool may_be_over();
  Clock::time_point next_look() const { return most_.count() == 0 ? Clock::time_point::max() : looked_ + between_looks; }

 private:
  void look();

  pid_t root_;
  std::chrono::milliseconds most_, used_{0};
  Clock::time_point looked_ = Clock::now();
};

}  // namespace tilelab::program
