// What a program is to be confined to, as plain data, and the steps by which a process gives up what it may do, in the order of
// confine_main.cpp. Each step throws Failure where it cannot be taken.
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

// Ends what a program leaves behind. It is needed if there is no process namespace, which would end with its first process. It
// reaps only what it started, and does not depend on the guarded program.
//
// Splits the process. The call returns in a child that leads its own session and process group. In the caller's process it never
// returns: that process waits for the child, kills its whole group and ends with the child's exit status (128 + signal). If the
// waiting process itself is killed, a third process kills the group. So nothing in the group can outlive the waiting process.
void continue_under_guard();

// Which user the confined program runs as. It must not be root, because the kernel exempts root from the limit on processes, and
// root may signal every process. An ordinary user stays the same.
//
// As root: becomes `user`, an id that nothing else on the machine should use, and returns true. It keeps only the capability to
// override file permissions, because a course's folders may be readable only by root. Landlock and the mounts still decide which
// files it reaches. With keep_root, or as an ordinary user: gives up every capability and returns false.
bool give_up_privileges(const ConfineOptions& options);

// Sets resource limits (setrlimit) for what a submission could use up. They apply to each process, except the number of
// processes. The caller limits what such limits cannot: wall-clock time and disk space. `alone`: nothing else runs under this user, so the
// limit on processes can be exact.
void limit_resources(const ConfineOptions& options, bool alone);

// When memory runs out, the kernel should end this process first.
void volunteer_for_out_of_memory();

// Landlock: the kernel's way for an ordinary process to restrict its own access to the file system. After that, it can neither
// open nor change what is not listed. Landlock does not hide that a file exists (stat), and does not cover chmod.
//
// The kernel's Landlock version; 0 if it has none or it is not enabled.
int landlock_abi();

struct FileAccess {
  std::vector<std::string> readable;    // files, and folders with everything below them
  std::vector<std::string> executable;  // may be executed as well; shared libraries need not be listed here
  std::vector<std::string> writable;    // may be read, written, made and removed below here; not executed
  std::vector<std::string> devices;     // may be read, written and controlled by ioctl
};

// Restricts this process and everything it starts, for ever. Needs no_new_privs. Throws Failure that names the path.
void restrict_files(const FileAccess& access);

// The system calls that a confined program may make, as a seccomp filter. Every other call fails with "no such system call", so
// that a C library tries an older way. A program is never killed for a call.
bool seccomp_available();

// Applies to this process and everything it starts, for ever. Needs no_new_privs. Throws Failure.
void restrict_system_calls(Profile profile);

// Tells the grader what a confined program has used, so that one that was stopped at a limit is told from one that the machine failed.
// Not a limit.
//
// Returns in a child, which goes on to become the program. The parent waits, writes one line "SECONDS BYTES" to `descriptor` (processor
// time of the program and of all that it waited for, and the largest memory of one process among them) and ends as the program did.
void continue_as_reported(int descriptor);

}  // namespace tilelab::sandbox
