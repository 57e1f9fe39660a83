// The program as a child process: its own standard streams are the conductor's, its descriptor 3 is a socket to us, its descriptor 4 the
// staging memory. It is killed with its process group.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "protocol/channel.hpp"

namespace tilelab::program {

class HostProcess {
 public:
  using Clock = std::chrono::steady_clock;
  // Throws std::system_error.
  explicit HostProcess(const std::vector<std::string>& argv);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  Channel& channel() { return channel_; }
  char* staging() const { return staging_; }

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
  Descriptor staging_file_, alive_;  // alive_: becomes readable when the process ends; none on old systems
  char* staging_ = nullptr;
};

}  // namespace tilelab::program
