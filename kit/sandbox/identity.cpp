// Handles capabilities with raw system calls: four calls do not need a library.
#include "sandbox/identity.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "sandbox/failure.hpp"

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

}  // namespace tilelab::sandbox
