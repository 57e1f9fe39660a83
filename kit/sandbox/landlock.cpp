// Uses raw system calls, because no libc wraps Landlock, and our own constants, because a distribution's header may be older than
// the running kernel. It first takes away every right that this kernel knows, and then gives some back.
#include "sandbox/restrictions.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tilelab::sandbox {
namespace {

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
