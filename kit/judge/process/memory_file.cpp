#include "judge/process/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tilelab::judge {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

MemoryFile::MemoryFile(std::span<const std::byte> content)
    : file_(::memfd_create("tilelab-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING)), size_(content.size()) {
  if (file_.get() < 0) fail("memfd_create");
  for (std::size_t done = 0; done < size_;) {
    const ssize_t written = ::pwrite(file_.get(), content.data() + done, size_ - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("write to a memory file");
    done += static_cast<std::size_t>(written);
  }
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail("seal a memory file");
}

std::vector<std::byte> MemoryFile::bytes() const {
  std::vector<std::byte> copy(size_);
  for (std::size_t done = 0; done < size_;) {
    const ssize_t got = ::pread(file_.get(), copy.data() + done, size_ - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read a memory file");
    done += static_cast<std::size_t>(got);
  }
  return copy;
}

}  // namespace tilelab::judge
