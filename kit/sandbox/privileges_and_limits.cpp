// Who the program is, and how much it may use. Handles capabilities with raw system calls: four calls do not need a library.
#include "sandbox/restrictions.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <memory>

namespace tilelab::sandbox {
namespace {

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

}  // namespace

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

}  // namespace tilelab::sandbox
