// A child process whose standard output is read to its end: the conductor, or a program on a real GPU.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "program_judge/data_folder.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

class OutputProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Drained { whole, too_much, late, told };

  // Starts it in `folder`, in a process group of its own if `apart`. `input`: its standard input; -1: an empty one. Throws
  // std::system_error.
  OutputProcess(const std::vector<std::string>& argv, const std::string& folder, bool apart, int input = -1);
  // It is killed if nobody waited for it.
  ~OutputProcess();
  OutputProcess(const OutputProcess&) = delete;
  OutputProcess& operator=(const OutputProcess&) = delete;

  // Reads until the output ends, until there is too much of it or in `folder`, or until the deadline; or until there is something to be
  // read from `told`, and then what the program wrote before that.
  Drained drain(std::string& output, const DataFolder& folder, Clock::time_point deadline, int told = -1);
  void stop() const;  // SIGTERM
  void kill() const;  // with its group, where it has one of its own
  int wait();         // waitpid's status

 private:
  pid_t pid_ = -1;
  bool apart_ = false;
  Descriptor reader_;
};

}  // namespace tilelab::judge
