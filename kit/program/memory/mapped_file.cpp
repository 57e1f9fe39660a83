#include "program/memory/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace tilelab::program {
namespace {

[[noreturn]] void fail_to_map(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

MappedFile::MappedFile(const char* name, std::size_t bytes) : file_(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  if (file_.get() < 0) fail_to_map("memfd_create");
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail_to_map("make a memory file large");
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail_to_map("seal a memory file");
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}

MappedFile::~MappedFile() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void MappedFile::forget(std::size_t offset, std::size_t bytes) const {
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0)
    std::memset(memory_ + offset, 0, bytes);
}

}  // namespace tilelab::program
