// The steps of restrictions.hpp but the filter of system calls.
#include "sandbox/restrictions.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <memory>

namespace tilelab::sandbox {

// --- Processes that stay behind. Of the guard there are three: the one that the caller started waits. The second is the confined program.
// The third, the watcher, sleeps on a pipe whose other end only the waiting process holds: if the waiting process dies for any reason, the
// pipe closes. A confined program cannot leave its group, because the system-call filter refuses setsid and setpgid.

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

void set_capabilities(std::uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (std::size_t half = 0; half < 2; ++half) {
    data[half].effective = data[half].permitted = data[half].inheritable = static_cast<std::uint32_t>(kept >> (32 * half));
  }
  checked(syscall(SYS_capset, &header, data.data()), "give capabilities up");
}

// Removes the capabilities that an executed program could get back. It may fail, because it needs a capability itself.
void clear_bounding_set(std::uint64_t kept) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (!(kept >> capability & 1)) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
}

// Address space beyond the memory limit. The executor reserves far more than it uses: 1,100 fiber stacks of 256 KiB, and 16 MiB
// of inaccessible memory around every buffer. So the limit that matters is RLIMIT_DATA, which counts only private writable
// memory. RLIMIT_AS limits shared mappings, which RLIMIT_DATA does not count.
constexpr rlim_t address_slack_bytes = rlim_t{2} << 30;

// Used when other programs run under the same user, because the kernel counts them for the same limit: a desktop, and other
// submissions that are graded at the same time.
constexpr rlim_t shared_user_slack = 512;

void limit(decltype(RLIMIT_CPU) resource, rlim_t soft, rlim_t hard, const char* what) {
  rlimit now{};
  checked(getrlimit(resource, &now), std::string("read the limit on ") + what);
  now.rlim_max = std::min(now.rlim_max, hard);  // an ordinary user cannot raise the hard limit
  now.rlim_cur = std::min(now.rlim_max, soft);
  checked(setrlimit(resource, &now), std::string("limit ") + what);
}

// Processes and threads of this user; 0 if there is no /proc, as in our own namespace. Needs one stat call for each process: the
// owner of its `task` folder is the user, and the folder has one link for each thread besides its own two.
rlim_t tasks_of_this_user() {
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
  if (!processes) return 0;
  rlim_t tasks = 0;
  while (const dirent* entry = readdir(processes.get())) {
    if (!std::isdigit(static_cast<unsigned char>(entry->d_name[0]))) continue;
    struct stat status{};
    const std::string threads = std::string(entry->d_name) + "/task";
    if (fstatat(dirfd(processes.get()), threads.c_str(), &status, 0) == 0 && status.st_uid == geteuid()) tasks += status.st_nlink - 2;
  }
  return tasks;
}

// From include/uapi/linux/landlock.h. The number is the Landlock version that introduced the right.
constexpr std::uint64_t execute = 1u << 0, write_file = 1u << 1, read_file = 1u << 2, read_dir = 1u << 3;
constexpr std::uint64_t remove_dir = 1u << 4, remove_file = 1u << 5, make_dir = 1u << 7, make_reg = 1u << 8, make_sym = 1u << 12;
constexpr std::uint64_t all_of_abi_1 = (1u << 13) - 1;
constexpr std::uint64_t refer = 1u << 13;                    // 2: rename and link between folders
constexpr std::uint64_t truncate_file = 1u << 14;            // 3
constexpr std::uint64_t all_tcp = (1u << 0) | (1u << 1);     // 4: bind, connect
constexpr std::uint64_t ioctl_device = 1u << 15;             // 5
constexpr std::uint64_t all_scopes = (1u << 0) | (1u << 1);  // 6: abstract sockets and signals stay inside

// struct landlock_ruleset_attr of version 6. An older kernel is given the shorter size that it knows.
struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};

std::uint64_t all_file_rights(int abi) {
  return all_of_abi_1 | (abi >= 2 ? refer : 0) | (abi >= 3 ? truncate_file : 0) | (abi >= 5 ? ioctl_device : 0);
}

int make_ruleset(int abi) {
  Ruleset ruleset{.files = all_file_rights(abi), .network = abi >= 4 ? all_tcp : 0, .scopes = abi >= 6 ? all_scopes : 0};
  const std::size_t known = (abi >= 6 ? 3 : abi >= 4 ? 2 : 1) * sizeof(std::uint64_t);
  return static_cast<int>(checked(syscall(SYS_landlock_create_ruleset, &ruleset, known, 0), "make a Landlock ruleset"));
}

void allow(int ruleset, int abi, const std::string& path, std::uint64_t rights) {
  const int place = checked(open(path.c_str(), O_PATH | O_CLOEXEC), "open '" + path + "'");
  struct stat status{};
  checked(fstat(place, &status), "look at '" + path + "'");
  if (!S_ISDIR(status.st_mode)) rights &= execute | write_file | read_file | truncate_file | ioctl_device;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights & all_file_rights(abi);
  rule.parent_fd = place;
  checked(syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), "allow '" + path + "'");
  close(place);
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

// --- Who the program is, and how much it may use. Handles capabilities with raw system calls: four calls do not need a library.

bool give_up_privileges(const ConfineOptions& options) {
  if (geteuid() != 0 || options.keep_root) {
    clear_bounding_set(0);
    set_capabilities(0);
    return false;
  }
  const std::uint64_t kept = std::uint64_t{1} << CAP_DAC_OVERRIDE;
  if (!options.user || *options.user == 0 || *options.user >= static_cast<uid_t>(-1)) {
    throw Failure("root has to say --user ID, an id that nothing else uses, or --keep-root");
  }
  const auto user = static_cast<uid_t>(*options.user);
  clear_bounding_set(kept);
  // Both need this: capabilities are kept when the user changes, and access() follows them as open() does.
  checked(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0), "keep a capability");
  checked(setgroups(0, nullptr), "leave root's groups");
  checked(setresgid(user, user, user), "leave root's group");
  checked(setresuid(user, user, user), "stop being root");
  set_capabilities(kept);
  checked(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0), "pass a capability on");
  return true;
}

// Which resource each limit sets, and why.
void limit_resources(const ConfineOptions& options, bool alone) {
  limit(RLIMIT_CORE, 0, 0, "core dumps");
  // A program can catch SIGXCPU. One second later comes SIGKILL, which it cannot catch.
  if (options.cpu_seconds) limit(RLIMIT_CPU, *options.cpu_seconds, *options.cpu_seconds + 1, "processor time");
  if (options.memory_bytes) {
    limit(RLIMIT_DATA, *options.memory_bytes, *options.memory_bytes, "memory");
    // The GPU's driver reserves addresses for all memory, its own and the machine's.
    if (!uses_gpu(options.profile))
      limit(RLIMIT_AS, *options.memory_bytes + address_slack_bytes, *options.memory_bytes + address_slack_bytes, "address space");
  }
  if (options.file_bytes) limit(RLIMIT_FSIZE, *options.file_bytes, *options.file_bytes, "file size");
  if (options.open_files) limit(RLIMIT_NOFILE, *options.open_files, *options.open_files, "open files");
  if (options.processes) {
    const rlim_t others = alone ? 0 : tasks_of_this_user();
    const rlim_t most = *options.processes + others + (others ? shared_user_slack : 0);
    limit(RLIMIT_NPROC, most, most, "processes");
  }
}

void volunteer_for_out_of_memory() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;  // without /proc this is skipped: it is a help for other processes, not a restriction
  [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
  close(file);
}

// --- Uses raw system calls, because no libc wraps Landlock, and our own constants, because a distribution's header may be older than
// the running kernel. It first takes away every right that this kernel knows, and then gives some back.

int landlock_abi() {
  const long answer = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return answer < 0 ? 0 : static_cast<int>(answer);
}

void restrict_files(const FileAccess& access) {
  const int abi = landlock_abi();
  if (abi == 0) throw Failure("this kernel offers no Landlock (Linux 5.13 or newer, with landlock among its security modules)");
  const int ruleset = make_ruleset(abi);
  for (const std::string& path : access.readable) allow(ruleset, abi, path, read_file | read_dir);
  for (const std::string& path : access.executable) allow(ruleset, abi, path, read_file | read_dir | execute);
  // No devices, sockets or pipes in the file system: a compiler makes none, and each could reach another process.
  const std::uint64_t write =
      read_file | read_dir | write_file | truncate_file | make_reg | make_dir | make_sym | remove_file | remove_dir | refer;
  for (const std::string& path : access.writable) allow(ruleset, abi, path, write);
  for (const std::string& path : access.devices) allow(ruleset, abi, path, read_file | write_file | ioctl_device);
  checked(syscall(SYS_landlock_restrict_self, ruleset, 0), "put Landlock in force");
  close(ruleset);
}

}  // namespace tilelab::sandbox
