// How a process that ran a submission's code has ended: the one place that reads a status of waitpid. Whose fault that is depends on whose
// host code ran there: status_of_ours() is for processes of our own, in which a submission is device code alone.
#pragma once

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <string>

#include "protocol/protocol.hpp"

namespace tilelab {

enum class ChildEnd {
  exit,
  fault,           // a signal that a processor raises for a wrong instruction or address
  abort,           // abort(): a check of the process's own, or of a library's
  processor_time,  // our limit
  file_size,       // our limit
  outside          // by somebody else: by the kernel when memory runs out, by a person, by a sandbox around ours
};

// 0: by none. What confines a program ends with 128 + the signal that the program ended by.
inline int signal_of(int status) {
  constexpr int by_signal = 128, signals = 32;
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  const int number = WEXITSTATUS(status) - by_signal;
  return number > 0 && number < signals ? number : 0;
}

inline ChildEnd how_ended(int status) {
  switch (signal_of(status)) {
    case 0: return ChildEnd::exit;
    case SIGABRT: return ChildEnd::abort;
    case SIGXCPU: return ChildEnd::processor_time;
    case SIGXFSZ: return ChildEnd::file_size;
    case SIGKILL:
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
    case SIGSYS: return ChildEnd::outside;
    default: return ChildEnd::fault;
  }
}

// Behind "the runner", "the program".
inline std::string end_in_words(int status) {
  const int signal = signal_of(status);
  if (signal == 0) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return (how_ended(status) == ChildEnd::outside ? "was ended from outside: " : "was ended by a signal: ") +
         std::string(::strsignal(signal));
}

// The limit's name in a program's record; empty: it met none of these.
inline std::string limit_met(int status) {
  const ChildEnd end = how_ended(status);
  return end == ChildEnd::processor_time ? "processor-time" : end == ChildEnd::file_size ? "file-size" : "";
}

// A wrong address in a process of ours is the kernel's doing. An abort is our own check's, and no kernel writes files.
inline protocol::Status status_of_ours(ChildEnd end) {
  switch (end) {
    case ChildEnd::exit:
    case ChildEnd::fault: return protocol::Status::crash;
    case ChildEnd::processor_time: return protocol::Status::timeout;
    case ChildEnd::abort:
    case ChildEnd::file_size:
    case ChildEnd::outside: break;
  }
  return protocol::Status::internal_error;
}

}  // namespace tilelab
