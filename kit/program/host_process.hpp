// The program as a child process: its own standard streams are the broker's, its descriptor 3 is a socket to us, its descriptor 4 the
// staging memory. It is killed with its process group. And the processor time that it uses.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "judge/process/runner_process.hpp"
#include "program/memory/device_memory.hpp"
#include "protocol/channel.hpp"

namespace tilelab::program {

class HostProcess {
 public:
  using Clock = std::chrono::steady_clock;
  // Throws std::system_error.
  explicit HostProcess(const std::vector<std::string>& argv) : staging_("tilelab-staging", staging_bytes) {
    judge::StartedChild child = judge::start_child(argv, {{staging_.descriptor(), host_staging}});
    pid_ = child.pid;
    channel_ = Channel(std::move(child.socket));
    if (child.trouble != 0) {
      kill();
      throw std::system_error(child.trouble, std::generic_category(), "cannot start " + argv.at(0));
    }
#ifdef SYS_pidfd_open
    alive_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#endif
  }
  ~HostProcess() { kill(); }
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  Channel& channel() { return channel_; }
  char* staging() const { return staging_.memory(); }

  enum class Wake { request, ended, deadline, interrupted };
  // Waits until there is something to read, the process has ended, the deadline passes, or a signal arrives.
  Wake wait(Clock::time_point deadline) {
    std::array<pollfd, 2> polled{pollfd{channel_.descriptor(), POLLIN, 0}, pollfd{alive_.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const int count = ::poll(polled.data(), alive_.get() >= 0 ? 2 : 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
    if (count < 0) return Wake::interrupted;
    if ((polled[0].revents & POLLIN) != 0) return Wake::request;
    if (count > 0) return Wake::ended;
    return Clock::now() >= deadline ? Wake::deadline : Wake::interrupted;
  }
  // waitpid's status, once it has ended by itself.
  std::optional<int> status() {
    int status = 0;
    if (!status_ && pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_;
  }
  void kill() {
    if (pid_ < 0) return;
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (!status_ && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
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
  bool is_over() {
    look_if_due();
    return most_.count() != 0 && used_ >= most_;
  }
  // Of a program that the kernel has ended for its time: whether that may be so. It was not seen since the last look.
  bool may_be_over() {
    if (most_.count() == 0) return false;
    const auto before = looked_;
    look();
    const auto unseen = std::chrono::duration_cast<std::chrono::milliseconds>(looked_ - before);
    return used_ + unseen * std::max(std::thread::hardware_concurrency(), 1u) >= most_;
  }
  // Whether it has waited all the time. Looks are counted, not time: while this process does not run, nothing is known of the program.
  bool is_idle() {
    look_if_due();
    return most_idle_.count() != 0 && idle_looks_ * between_looks >= most_idle_;
  }
  void heard_of_it() { idle_looks_ = 0; }  // it has asked for something
  Clock::time_point next_look() const {
    return most_.count() == 0 && most_idle_.count() == 0 ? Clock::time_point::max() : looked_ + between_looks;
  }

 private:
  void look() {
    const Activity now = activity_of(root_);
    idle_looks_ = now.is_waiting && now.used == last_used_ ? idle_looks_ + 1 : 0;
    last_used_ = now.used;
    used_ = std::max(used_, now.used);  // what has ended since is no longer counted
    looked_ = Clock::now();
  }
  void look_if_due() {
    if (Clock::now() >= next_look()) look();
  }

  pid_t root_;
  std::chrono::milliseconds most_, most_idle_, used_{0};
  std::chrono::milliseconds last_used_{-1};  // at the last look
  unsigned idle_looks_ = 0;
  Clock::time_point looked_ = Clock::now();
};

}  // namespace tilelab::program
