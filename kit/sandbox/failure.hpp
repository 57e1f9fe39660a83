// How the launcher reports that it could not confine a program: one clear line, and exit status 125. `timeout` and `env` use that
// status for their own failures too. It is never thrown for something that the program did.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace tilelab::sandbox {

inline constexpr int failure_status = 125;
inline constexpr int not_executable_status = 126;
inline constexpr int not_found_status = 127;

struct Failure : std::runtime_error {
  explicit Failure(const std::string& message, int status = failure_status) : std::runtime_error(message), status(status) {}
  int status;
};

// "cannot WHAT: REASON", the reason from errno.
[[noreturn]] inline void fail_with_errno(const std::string& what) { throw Failure("cannot " + what + ": " + std::strerror(errno)); }

// For system calls that return -1 on failure. Other results are returned unchanged.
template <typename Answer>
Answer checked(Answer answer, const std::string& what) {
  if (answer == static_cast<Answer>(-1)) fail_with_errno(what);
  return answer;
}

}  // namespace tilelab::sandbox
