// Notices files that the program could not open: its own sandbox may be the reason, and who gives up then is no one who forgets to free.
// These definitions come before those of the C library, also for std::fstream. The broker believes nothing of it: it is a note.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "host/library/fault_watch.hpp"
#include "host/library/host_session.hpp"

namespace tilelab_host {
namespace {

constexpr int most_refusals_told = 16;
constexpr std::size_t longest_path = 1000;
constexpr std::string_view folders_of_the_system[] = {"/proc", "/sys", "/dev",
                                                      "/usr",  "/lib", "/etc"};  // libraries try these by themselves
std::atomic<int> refusals_told{0};
thread_local bool is_telling_refusal = false;

void tell_refusal(const char* path, bool write) {
  const int error = errno;
  const std::string_view name = path != nullptr ? path : "";
  bool counts = !name.empty() && name.size() < longest_path && !is_telling_refusal && error != EINTR && error != EEXIST;
  for (const std::string_view folder : folders_of_the_system) counts = counts && !name.starts_with(folder);
  if (counts && refusals_told++ < most_refusals_told) {
    is_telling_refusal = true;
    const auto frames = frames_here();
    (void)ask("note", {"", frames.empty() ? 0 : frames[0]},
              {{"kind", "file-refused"}, {"path", name}, {"write", write}, {"frames", frames}});
    is_telling_refusal = false;
  }
  errno = error;
}

int open_or_tell(int folder, const char* path, int flags, mode_t mode) {
  const auto file = static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
  if (file < 0 && folder == AT_FDCWD) tell_refusal(path, (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0);
  return file;
}

std::FILE* open_or_tell(const char* path, const char* mode) {
  using Open = std::FILE* (*)(const char*, const char*);
  static const auto open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "fopen"));
  std::FILE* const file = open(path, mode);
  if (file == nullptr) tell_refusal(path, std::string_view(mode).find_first_of("wa+") != std::string_view::npos);
  return file;
}

}  // namespace

void watch_files() {}

}  // namespace tilelab_host

// NOLINTBEGIN(cert-dcl50-cpp): the C library's own form
extern "C" {
std::FILE* fopen(const char* path, const char* mode) { return tilelab_host::open_or_tell(path, mode); }
std::FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return tilelab_host::open_or_tell(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int creat(const char* path, mode_t mode) { return tilelab_host::open_or_tell(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int mkdir(const char* path, mode_t mode) noexcept {
  const auto made = static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  if (made != 0) tilelab_host::tell_refusal(path, true);
  return made;
}
}
// NOLINTEND(cert-dcl50-cpp)
