// The launcher's command line as plain data. It only parses: whether a path exists is checked when it is used.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilelab::sandbox {

// gpu: run, and what the GPU's driver needs from the kernel. program: run, and making files; descriptor 4 is passed on as well.
// gpu_program: gpu, and making files.
enum class Profile { build, run, gpu, program, gpu_program };

inline bool uses_gpu(Profile profile) { return profile == Profile::gpu || profile == Profile::gpu_program; }

struct ConfineOptions {
  bool probe = false;
  bool guard = false;  // stay as a parent that ends the whole process group
  bool landlock = true;
  bool seccomp = true;
  bool keep_root = false;             // root stays root, but without any capability
  std::optional<std::uint64_t> user;  // the user that root becomes otherwise
  Profile profile = Profile::run;
  std::optional<std::uint64_t> cpu_seconds, memory_bytes, processes, file_bytes, open_files;
  std::optional<std::uint64_t> usage_descriptor;  // where to write what the command used
  std::vector<std::string> readable, writable, devices;
  std::vector<std::string> path;     // folders put before those of PATH
  std::string temporary = "/tmp";    // the value of TMPDIR and HOME
  std::vector<std::string> command;  // never empty, except with `probe`
};

// Of main's arguments. Throws OptionError on anything it does not know.
ConfineOptions parse_options(int count, const char* const* words);

// How the launcher reports that it could not confine a program: one clear line, and exit status 125. `timeout` and `env` use that
// status for their own failures too. It is never thrown for something that the program did.
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
