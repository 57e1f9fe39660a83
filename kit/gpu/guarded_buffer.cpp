#include "gpu/guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace tilelab::cuda {
namespace {

constexpr std::size_t word = sizeof(std::uint32_t);
bool is_damaged(std::uint32_t value) { return value != guard_word; }

constexpr std::size_t most_bytes = 16 * 1024;

}  // namespace

GuardedBuffer::GuardedBuffer(const Driver& driver, const std::vector<std::byte>& content, std::size_t guard)
    : driver_(driver), bytes_(content.size()), padded_((content.size() + word - 1) / word * word), guard_(guard) {
  const std::size_t all = std::max(padded_ + 2 * guard_, word);
  driver_.check(driver_.memory_allocate(&memory_, all), "cuMemAlloc");
  driver_.check(driver_.fill_words(memory_, guard_word, all / word), "cuMemsetD32");
  if (bytes_ != 0) driver_.check(driver_.copy_to_device(address(), content.data(), bytes_), "cuMemcpyHtoD");
}

GuardedBuffer::GuardedBuffer(const Driver& driver, std::size_t bytes)
    : driver_(driver), bytes_(bytes), padded_((bytes + word - 1) / word * word), guard_(0) {
  driver_.check(driver_.memory_allocate(&memory_, std::max(padded_, word)), "cuMemAlloc");
}

GuardedBuffer::~GuardedBuffer() {
  if (memory_ != 0) driver_.memory_free(memory_);
}

std::vector<std::byte> GuardedBuffer::content() const {
  std::vector<std::byte> copy(bytes_);
  if (bytes_ != 0) driver_.check(driver_.copy_to_host(copy.data(), address(), bytes_), "cuMemcpyDtoH");
  return copy;
}

std::vector<std::uint32_t> GuardedBuffer::words(DeviceAddress from, std::size_t count) const {
  std::vector<std::uint32_t> copy(count);
  driver_.check(driver_.copy_to_host(copy.data(), from, count * word), "cuMemcpyDtoH");
  return copy;
}

std::optional<std::ptrdiff_t> GuardedBuffer::overrun() const {
  if (guard_ == 0) return std::nullopt;
  const auto after = words(address() + padded_, guard_ / word), before = words(memory_, guard_ / word);
  const auto first = std::find_if(after.begin(), after.end(), is_damaged);
  if (first != after.end()) return static_cast<std::ptrdiff_t>(padded_ + word * static_cast<std::size_t>(first - after.begin()));
  const auto last = std::find_if(before.rbegin(), before.rend(), is_damaged);
  if (last != before.rend()) return -static_cast<std::ptrdiff_t>(word) * (last - before.rbegin() + 1);
  return std::nullopt;
}

KernelParameters::KernelParameters(const std::vector<protocol::Argument>& arguments, std::vector<DeviceAddress> buffers) {
  auto buffer = buffers.begin();
  for (const protocol::Argument& one : arguments)  // little-endian: the argument's bytes come first
    words_.push_back(one.role == protocol::Role::scalar ? one.bits : *buffer++);
  for (std::uint64_t& word : words_) pointers_.push_back(&word);
}

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
