// Builds the filter: the lists of names, and the calls whose arguments decide.
#include "sandbox/restrictions.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

#include <linux/memfd.h>
#include <linux/seccomp.h>

namespace tilelab::sandbox {
namespace {

// System calls that are allowed with any arguments, by name. Left out on purpose: sockets, ptrace, mounts, namespaces, keys, bpf,
// perf, userfaultfd, io_uring, process_vm_*, modules, clocks, swap, quotas, inter-process queues, all calls that open by handle.
// A name that this architecture or libseccomp does not know is skipped.

// What every C or C++ program needs, and the runner: memory, its own files and descriptors, children, signals, time.
constexpr const char* everyday_calls[] = {
    // descriptors that it already has
    "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "lseek", "close", "close_range", "dup", "dup2", "dup3",
    "fcntl", "fstat", "poll", "ppoll", "select", "pselect6", "sendmsg", "recvmsg", "sendto", "recvfrom", "shutdown", "pipe", "pipe2",
    "eventfd2", "ftruncate", "fallocate",
    // file names; Landlock and the mounts decide which files may be opened
    "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getcwd",
    // memory
    "brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "msync", "membarrier",
    // processes and threads; `clone` is allowed with conditions, elsewhere
    "fork", "vfork", "execve", "exit", "exit_group", "wait4", "waitid", "pidfd_open", "futex", "futex_waitv", "set_tid_address",
    "set_robust_list", "get_robust_list", "rseq", "arch_prctl", "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "capget", "sched_yield", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "getpriority", "getcpu", "getrlimit", "setrlimit", "getrusage", "times", "sysinfo", "uname", "getrandom",
    // signals; `kill` and `tgkill` are allowed with conditions, elsewhere
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "pause",
    "restart_syscall", "signalfd4",
    // time
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "alarm", "setitimer", "getitimer",
    "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete", "timerfd_create", "timerfd_settime",
    "timerfd_gettime"};

// What compiling needs besides: making, renaming and removing files.
constexpr const char* file_making_calls[] = {"rename",   "renameat",   "renameat2", "unlink",  "unlinkat",  "mkdir",    "mkdirat",
                                             "rmdir",    "link",       "linkat",    "symlink", "symlinkat", "truncate", "umask",
                                             "getdents", "getdents64", "chdir",     "fchdir",  "statfs",    "fstatfs",  "copy_file_range",
                                             "sendfile", "fadvise64",  "readahead", "flock",   "fsync",     "fdatasync"};

// What the GPU's driver needs besides: it searches /proc and /sys, places memory on NUMA nodes, and controls its devices by
// ioctl.
constexpr const char* gpu_driver_calls[] = {// /proc and /sys, and locks
                                            "getdents", "getdents64", "statfs", "fstatfs", "flock",
                                            // memory on NUMA nodes
                                            "mincore", "mlock", "munlock", "mbind", "get_mempolicy", "set_mempolicy",
                                            // threads, and its devices
                                            "sched_setaffinity", "sched_get_priority_min", "sched_get_priority_max", "ioctl",
                                            "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "setsockopt", "getsockopt"};

// These fail with "not permitted" instead of "no such call".
constexpr const char* refused_calls[] = {// connections
                                         "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
                                         // mounts and namespaces
                                         "mount", "umount2", "unshare", "setns", "chroot", "pivot_root",
                                         // sessions and identities
                                         "setsid", "setpgid", "setuid", "setgid", "setresuid", "setresgid", "setreuid", "setregid",
                                         "setgroups", "capset",
                                         // other processes
                                         "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_send_signal", "tkill"};

// The condition that all bits of `mask` in the argument are 0. seccomp compares 64 bits, but for an int the kernel reads 32. The
// masks below use only the lower half, so bits in the upper half change nothing.
scmp_arg_cmp clear(unsigned argument, std::uint64_t mask) { return {argument, SCMP_CMP_MASKED_EQ, mask, 0}; }
scmp_arg_cmp equals(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, value}; }

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), seccomp_release) {
    if (!context_) throw Failure("cannot make a system-call filter");
    seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree: 8 comparisons for 130 calls; older libseccomp does without
  }

  // Several calls for one name are alternatives (or). Conditions within a call must all hold (and).
  void allow(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) { add(SCMP_ACT_ALLOW, name, conditions); }
  void refuse(const char* name, int error, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    add(SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), name, conditions);
  }

  void load() {
    if (const int error = seccomp_load(context_.get()); error != 0) {
      errno = -error;
      fail_with_errno("put the system-call filter in force");
    }
  }

 private:
  void add(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0) return;  // does not exist on this architecture, or is newer than libseccomp
    const int error = seccomp_rule_add_array(context_.get(), action, number, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (error != 0) throw Failure(std::string("cannot filter the system call '") + name + "': " + std::strerror(-error));
  }

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
};

bool makes_files(Profile profile) { return profile == Profile::build || profile == Profile::program || profile == Profile::gpu_program; }

void allow_children(Filter& filter) {
  constexpr std::uint64_t namespaces =
      CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE;
  filter.allow("clone", {clear(0, namespaces)});  // clone3 is not allowed, because its flags are behind a pointer; libc then uses clone
}

void allow_signals(Filter& filter, Profile profile) {
  if (profile != Profile::build) {
    // One process by number: not all (-1), and no group. Whether the number is a child of its own, the filter cannot check.
    // Landlock (from Linux 6.12), a process namespace or a separate user id can.
    filter.allow("kill", {clear(0, 0x80000000u)});
    filter.allow("tgkill");
  } else {
    filter.allow("tgkill", {equals(2, SIGABRT)});  // for abort()
  }
}

// No file may get a set-user-id bit: anybody on the machine could then run it with the grader's rights.
void allow_opening(Filter& filter, Profile profile) {
  constexpr std::uint64_t creates = O_CREAT | (O_TMPFILE & ~O_DIRECTORY), takes_over = S_ISUID | S_ISGID;
  filter.allow("open", {clear(1, creates)});
  filter.allow("openat", {clear(2, creates)});
  if (!makes_files(profile)) return;
  filter.allow("open", {clear(2, takes_over)});
  filter.allow("openat", {clear(3, takes_over)});
  filter.allow("creat", {clear(1, takes_over)});
  filter.allow("chmod", {clear(1, takes_over)});
  filter.allow("fchmod", {clear(1, takes_over)});
  filter.allow("fchmodat", {clear(2, takes_over)});
}

// Calls with several functions: only the functions that are needed.
void allow_some_meanings(Filter& filter, Profile profile) {
  filter.allow("memfd_create", {clear(1, MFD_HUGETLB)});
  filter.allow("prlimit64", {equals(0, 0)});  // only its own limits
  if (!uses_gpu(profile)) {
    for (const std::uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD}) filter.allow("ioctl", {equals(1, request)});
  }
  for (const std::uint64_t option : {PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_SET_NAME, PR_GET_NAME, PR_SET_DUMPABLE, PR_GET_DUMPABLE,
                                     PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_CAPBSET_READ}) {
    filter.allow("prctl", {equals(0, option)});
  }
  filter.allow("seccomp", {equals(0, SECCOMP_SET_MODE_FILTER), equals(1, 0)});  // so that it can restrict itself further
}

// The driver asks whether an MPS server listens, makes links in /dev/char, and listens itself under an abstract name that no
// other process uses. It continues if the answer to the first two is "not there"; it takes other answers for a broken system.
void allow_gpu_driver(Filter& filter) {
  for (const char* name : gpu_driver_calls) filter.allow(name);
  for (const char* name : {"socket", "socketpair"}) filter.allow(name, {equals(0, AF_UNIX)});
  for (const char* name : {"bind", "listen"}) filter.allow(name);  // only for Unix sockets: no others can be made
  filter.refuse("connect", ENOENT);
  for (const char* name : {"symlink", "symlinkat", "unlink", "unlinkat"}) filter.refuse(name, ENOENT);
}

bool is_drivers(std::string_view name) {
  return name == "socket" || name == "socketpair" || name == "connect" || name == "bind" || name == "listen";
}

// Calls that programs often try get an error that they can report.
void refuse_plainly(Filter& filter, Profile profile) {
  for (const char* name : refused_calls) {
    if (!uses_gpu(profile) || !is_drivers(name)) filter.refuse(name, EPERM);
  }
  // `ls` and `cp` would report "no such system call" as an error of theirs.
  for (const char* name : {"getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr"}) filter.refuse(name, EOPNOTSUPP);
}

}  // namespace

bool seccomp_available() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void restrict_system_calls(Profile profile) {
  Filter filter;
  for (const char* name : everyday_calls) filter.allow(name);
  if (makes_files(profile) && !uses_gpu(profile)) {  // the driver is told that some of these are not there
    for (const char* name : file_making_calls) filter.allow(name);
  }
  if (uses_gpu(profile)) allow_gpu_driver(filter);
  allow_children(filter);
  allow_signals(filter, profile);
  allow_opening(filter, profile);
  allow_some_meanings(filter, profile);
  refuse_plainly(filter, profile);
  filter.load();
}

}  // namespace tilelab::sandbox
