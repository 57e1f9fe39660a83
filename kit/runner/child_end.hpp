// How a process that ran a submission's code was ended. A kernel raises the signals that a processor raises for a wrong instruction
// or address; the others come from somebody else: from the kernel when memory runs out, or from a person.
#pragma once

#include <sys/wait.h>

#include <csignal>

namespace tilelab {

// `status` is waitpid's; what confines a program ends with 128 + the signal that the program ended by.
inline bool ended_from_outside(int status) {
  constexpr int by_signal = 128;
  switch (WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - by_signal) {
    case SIGKILL:
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT: return true;
    default: return false;
  }
}

}  // namespace tilelab
