// The program as a child process: its own standard streams are the broker's, its descriptor 3 is a socket to us, its descriptor 4 the
// staging memory. It is killed with its process group. And the processor time that it uses.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "program/memory/device_memory.hpp"
#include "protocol/channel.hpp"

namespace tilelab::program {

class HostProcess {
 public:
  using Clock = std::chrono::steady_clock;
  // Throws std::system_error.
  explicit HostProcess(const std::vector<std::string>& argv);
  ~HostProcess() { kill(); }
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  Channel& channel() { return channel_; }
  char* staging() const { return staging_.memory(); }

  enum class Wake { request, ended, deadline, interrupted };
  // Waits until there is something to read, the process has ended, the deadline passes, or a signal arrives.
  Wake wait(Clock::time_point deadline);
  // waitpid's status, once it has ended by itself.
  std::optional<int> status();
  void kill();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
  Channel channel_{Descriptor()};
  MappedFile staging_;
  Descriptor alive_;  // becomes readable when the process ends; none on old systems
};

// The processor time of the program and of all that it started, looked at now and then from outside: whatever it does with signals, it is
// known that its time was up, or that it waits for something that never comes. Not a limit by itself: whoever asks ends the program.

// Of a child of this process and its descendants, as /proc shows them.
struct Activity {
  std::chrono::milliseconds used{0};  // of processor time; what ended without being waited for is not in it
  // Each of their threads waits, and for no disk. A thread that waits for a processor does not: on a busy machine nobody is idle for that.
  // False as well where /proc does not say.
  bool is_waiting = false;
};
Activity activity_of(pid_t root);

class HostClock {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_looks{250};
  // `most`: of processor time. `most_idle`: without a step of any thread and without a request. 0: no limit.
  HostClock(pid_t root, std::chrono::milliseconds most, std::chrono::milliseconds most_idle = {})
      : root_(root), most_(most), most_idle_(most_idle) {}

  // Whether the time is up. Looks again once `between_looks` have passed.
  bool is_over();
  // Of a program that the kernel has ended for its time: whether that may be so. It was not seen since the last look.
  bool may_be_over();
  // Whether it has waited all the time. Looks are counted, not time: while this process does not run, nothing is known of the program.
  bool is_idle();
  void heard_of_it() { idle_looks_ = 0; }  // it has asked for something
  Clock::time_point next_look() const {
    return most_.count() == 0 && most_idle_.count() == 0 ? Clock::time_point::max() : looked_ + between_looks;
  }

 private:
  void look();
  void look_if_due();

  pid_t root_;
  std::chrono::milliseconds most_, most_idle_, used_{0};
  std::chrono::milliseconds last_used_{-1};  // at the last look
  unsigned idle_looks_ = 0;
  Clock::time_point looked_ = Clock::now();
};

}  // namespace tilelab::program
