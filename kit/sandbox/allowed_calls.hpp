// System calls that are allowed with any arguments, by name. Left out on purpose: sockets, ptrace, mounts, namespaces, keys, bpf,
// perf, userfaultfd, io_uring, process_vm_*, modules, clocks, swap, quotas, inter-process queues, all calls that open by handle.
// A name that this architecture or libseccomp does not know is skipped.
#pragma once

namespace tilelab::sandbox {

// What every C or C++ program needs, and the runner: memory, its own files and descriptors, children, signals, time.
inline constexpr const char* everyday_calls[] = {
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
inline constexpr const char* file_making_calls[] = {
    "rename", "renameat", "renameat2",       "unlink",   "unlinkat",  "mkdir",     "mkdirat",    "rmdir", "link",
    "linkat", "symlink",  "symlinkat",       "truncate", "umask",     "getdents",  "getdents64", "chdir", "fchdir",
    "statfs", "fstatfs",  "copy_file_range", "sendfile", "fadvise64", "readahead", "flock",      "fsync", "fdatasync"};

// What the GPU's driver needs besides: it searches /proc and /sys, places memory on NUMA nodes, and controls its devices by
// ioctl.
inline constexpr const char* gpu_driver_calls[] = {"getdents",
                                                   "getdents64",
                                                   "statfs",
                                                   "fstatfs",
                                                   "mincore",
                                                   "mlock",
                                                   "munlock",
                                                   "mbind",
                                                   "get_mempolicy",
                                                   "set_mempolicy",
                                                   "sched_setaffinity",
                                                   "sched_get_priority_min",
                                                   "sched_get_priority_max",
                                                   "ioctl",
                                                   "flock",
                                                   "epoll_create1",
                                                   "epoll_ctl",
                                                   "epoll_wait",
                                                   "epoll_pwait",
                                                   "setsockopt",
                                                   "getsockopt"};

// These fail with "not permitted" instead of "no such call".
inline constexpr const char* refused_calls[] = {"socket",
                                                "socketpair",
                                                "connect",
                                                "bind",
                                                "listen",
                                                "accept",
                                                "accept4",
                                                "ptrace",
                                                "mount",
                                                "umount2",
                                                "unshare",
                                                "setns",
                                                "chroot",
                                                "pivot_root",
                                                "setsid",
                                                "setpgid",
                                                "setuid",
                                                "setgid",
                                                "setresuid",
                                                "setresgid",
                                                "setreuid",
                                                "setregid",
                                                "setgroups",
                                                "capset",
                                                "process_vm_readv",
                                                "process_vm_writev",
                                                "pidfd_send_signal",
                                                "tkill"};

}  // namespace tilelab::sandbox
