#include "cuda/printed_output.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace tilelab::cuda {
namespace {

constexpr std::size_t most_bytes = 16 * 1024;

}  // namespace

PrintedOutput::PrintedOutput() : file_(memfd_create("tilelab-printed", MFD_CLOEXEC)) {
  if (file_.get() < 0 || dup2(file_.get(), STDOUT_FILENO) < 0) {
    throw std::system_error(errno, std::generic_category(), "no memory file for what a kernel prints");
  }
}

void PrintedOutput::clear() {
  std::fflush(stdout);
  if (ftruncate(file_.get(), 0) != 0 || lseek(file_.get(), 0, SEEK_SET) != 0) {
    throw std::system_error(errno, std::generic_category(), "what a kernel printed cannot be cleared");
  }
}

std::string PrintedOutput::text() const {
  std::fflush(stdout);
  std::string text(most_bytes, '\0');
  const ssize_t got = pread(file_.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace tilelab::cuda
