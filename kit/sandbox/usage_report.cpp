// The parent is behind the same walls as the program. It keeps the one descriptor alone: a pipe that the program writes to must end
// when the program ends.
#include "sandbox/usage_report.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "sandbox/failure.hpp"

namespace tilelab::sandbox {
namespace {

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

[[noreturn]] void report(pid_t child, int descriptor) {
  close_range(0, static_cast<unsigned>(descriptor) - 1, 0);
  close_range(static_cast<unsigned>(descriptor) + 1, ~0U, 0);
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  dprintf(descriptor, "%.3f %lld\n", seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<long long>(used.ru_maxrss) * 1024);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

void continue_as_reported(int descriptor) {
  checked(fcntl(descriptor, F_SETFD, FD_CLOEXEC), "keep a descriptor");
  const pid_t parent = getpid();
  const pid_t child = checked(fork(), "start a process");
  if (child != 0) report(child, descriptor);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(failure_status);
}

}  // namespace tilelab::sandbox
