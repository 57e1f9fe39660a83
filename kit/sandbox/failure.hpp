// How the launcher reports that it could not confine a program: one clear line, and exit status 125,
// which `timeout` and `env` use for failures of their own too. Never thrown for what the program did.
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

// For system calls that answer -1: passes any other answer on.
template <typename Answer>
Answer checked(Answer answer, const std::string& what) {
  if (answer == static_cast<Answer>(-1)) fail_with_errno(what);
  return answer;
}

}  // namespace tilelab::sandbox
