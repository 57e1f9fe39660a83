// Processes that stay behind. Of the guard there are three: the one that the caller started waits. The second is the confined program. The
// third, the watcher, sleeps on a pipe whose other end only the waiting process holds: if the waiting process dies for any reason, the pipe
// closes. A confined program cannot leave its group, because the system-call filter refuses setsid and setpgid.
#include "sandbox/restrictions.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace tilelab::sandbox {
namespace {

// Keeps no descriptor of the confined program: a pipe that it writes to must close when it ends.
void hold_only(int kept) {
  const int place = checked(fcntl(kept, F_DUPFD, 3), "keep a descriptor");
  checked(close_range(0, static_cast<unsigned>(place) - 1, 0), "close descriptors");
  checked(close_range(static_cast<unsigned>(place) + 1, ~0U, 0), "close descriptors");
  checked(dup2(place, 0), "keep a descriptor");
  close(place);
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
}

[[noreturn]] void watch(int pipe_end, int ready, pid_t group) {
  setsid();  // so that a signal to the waiting process's group does not reach the watcher
  block_signals();
  [[maybe_unused]] const ssize_t told = write(ready, "w", 1);
  hold_only(pipe_end);
  char dismissed = 0;
  if (read(0, &dismissed, 1) == 0) kill(-group, SIGKILL);
  _exit(0);
}

[[noreturn]] void wait_for(pid_t child, int pipe_end) {
  hold_only(pipe_end);
  siginfo_t ended{};
  // The child is reaped only after its group is dead. Until then its number cannot be given to another process group.
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  [[maybe_unused]] const ssize_t dismissed = write(0, "d", 1);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

// The parent is behind the same walls as the program. It keeps the one descriptor alone: a pipe that the program writes to must end
// when the program ends.
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

void continue_under_guard() {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  std::array<int, 2> pipe_ends{}, ready{};
  checked(pipe2(pipe_ends.data(), O_CLOEXEC), "make a pipe");
  checked(pipe2(ready.data(), O_CLOEXEC), "make a pipe");
  const pid_t waiting = getpid();
  const pid_t child = checked(fork(), "start a process");
  if (child == 0) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // Continues only after the watcher runs and if the parent still waits. If the parent had died before setsid, there would have
    // been no group to kill.
    close(ready[1]);
    char watched = 0;
    if (read(ready[0], &watched, 1) != 1 || getppid() != waiting) _exit(failure_status);
    for (const int end : {pipe_ends[0], pipe_ends[1], ready[0]}) close(end);
    return;
  }
  const pid_t watcher = fork();
  if (watcher == 0) {
    close(pipe_ends[1]);
    watch(pipe_ends[0], ready[1], child);
  }
  if (watcher < 0) {
    kill(child, SIGKILL);
    fail_with_errno("start a process");
  }
  close(pipe_ends[0]);
  close(ready[0]);
  close(ready[1]);
  wait_for(child, pipe_ends[1]);
}

void continue_as_reported(int descriptor) {
  checked(fcntl(descriptor, F_SETFD, FD_CLOEXEC), "keep a descriptor");
  const pid_t parent = getpid();
  const pid_t child = checked(fork(), "start a process");
  if (child != 0) report(child, descriptor);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(failure_status);
}

}  // namespace tilelab::sandbox
