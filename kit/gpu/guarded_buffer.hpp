// One kernel argument's device memory between two guard zones. They show writes before or past the buffer. A read there gives a
// NaN, so the result shows it if the value is used. Reads that are not used stay unseen: a GPU does not report them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gpu/driver_api.hpp"
#include "protocol/channel.hpp"

namespace tilelab::cuda {

// A quiet NaN that neither the judge nor an honest kernel writes.
inline constexpr std::uint32_t guard_word = 0x7fc5'9a2d;
inline constexpr std::size_t guard_bytes = 256 * 1024;

class GuardedBuffer {
 public:
  // Holds a copy of `content`, between zones of `guard` bytes. Use 0 if another program watches the accesses, because it would
  // take the zones for ordinary memory. Throws DriverError.
  GuardedBuffer(const Driver& driver, const std::vector<std::byte>& content, std::size_t guard = guard_bytes)
      : driver_(driver), bytes_(content.size()), padded_((content.size() + word - 1) / word * word), guard_(guard) {
    const std::size_t all = std::max(padded_ + 2 * guard_, word);
    driver_.check(driver_.memory_allocate(&memory_, all), "cuMemAlloc");
    driver_.check(driver_.fill_words(memory_, guard_word, all / word), "cuMemsetD32");
    if (bytes_ != 0) driver_.check(driver_.copy_to_device(address(), content.data(), bytes_), "cuMemcpyHtoD");
  }
  // Unwritten memory without zones: for an output, if another program watches the reads, and for what a launcher allocates.
  GuardedBuffer(const Driver& driver, std::size_t bytes)
      : driver_(driver), bytes_(bytes), padded_((bytes + word - 1) / word * word), guard_(0) {
    driver_.check(driver_.memory_allocate(&memory_, std::max(padded_, word)), "cuMemAlloc");
  }
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : driver_(other.driver_), memory_(std::exchange(other.memory_, 0)), bytes_(other.bytes_), padded_(other.padded_),
        guard_(other.guard_) {}
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  ~GuardedBuffer() {
    if (memory_ != 0) driver_.memory_free(memory_);
  }

  DeviceAddress address() const { return memory_ + guard_; }
  std::size_t bytes() const { return bytes_; }
  std::vector<std::byte> content() const {
    std::vector<std::byte> copy(bytes_);
    if (bytes_ != 0) driver_.check(driver_.copy_to_host(copy.data(), address(), bytes_), "cuMemcpyDtoH");
    return copy;
  }
  // Where the guard zones were written: the byte offset nearest to the buffer, negative before it. None if they are unchanged.
  std::optional<std::ptrdiff_t> overrun() const {
    if (guard_ == 0) return std::nullopt;
    const auto after = words(address() + padded_, guard_ / word), before = words(memory_, guard_ / word);
    const auto first = std::find_if(after.begin(), after.end(), is_damaged);
    if (first != after.end()) return static_cast<std::ptrdiff_t>(padded_ + word * static_cast<std::size_t>(first - after.begin()));
    const auto last = std::find_if(before.rbegin(), before.rend(), is_damaged);
    if (last != before.rend()) return -static_cast<std::ptrdiff_t>(word) * (last - before.rbegin() + 1);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t word = sizeof(std::uint32_t);
  static bool is_damaged(std::uint32_t value) { return value != guard_word; }
  std::vector<std::uint32_t> words(DeviceAddress from, std::size_t count) const {
    std::vector<std::uint32_t> copy(count);
    driver_.check(driver_.copy_to_host(copy.data(), from, count * word), "cuMemcpyDtoH");
    return copy;
  }

  const Driver& driver_;
  DeviceAddress memory_ = 0;
  std::size_t bytes_, padded_;  // padded: rounded up to whole words
  std::size_t guard_;
};

// What a kernel is launched with: for each argument, where its number or the address of its buffer lies. `buffers` are those of the
// arguments that are no scalars.
class KernelParameters {
 public:
  KernelParameters(const std::vector<protocol::Argument>& arguments, std::vector<DeviceAddress> buffers) {
    auto buffer = buffers.begin();
    for (const protocol::Argument& one : arguments)  // little-endian: the argument's bytes come first
      words_.push_back(one.role == protocol::Role::scalar ? one.bits : *buffer++);
    for (std::uint64_t& word : words_) pointers_.push_back(&word);
  }
  KernelParameters(const KernelParameters&) = delete;
  KernelParameters& operator=(const KernelParameters&) = delete;
  void** data() { return pointers_.data(); }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<void*> pointers_;
};

// What a kernel prints. When a launch ends, the driver writes it to this process's standard output, which is a memory file here.
// The text is untrusted.

class PrintedOutput {
 public:
  // replaces standard output for the rest of the process; throws std::system_error
  PrintedOutput() : file_(memfd_create("tilelab-printed", MFD_CLOEXEC)) {
    if (file_.get() < 0 || dup2(file_.get(), STDOUT_FILENO) < 0) {
      throw std::system_error(errno, std::generic_category(), "no memory file for what a kernel prints");
    }
  }
  void clear() {
    std::fflush(stdout);
    if (ftruncate(file_.get(), 0) != 0 || lseek(file_.get(), 0, SEEK_SET) != 0) {
      throw std::system_error(errno, std::generic_category(), "what a kernel printed cannot be cleared");
    }
  }
  // at most 16 KiB of what was printed since then
  std::string text() const {
    std::fflush(stdout);
    std::string text(most_bytes, '\0');
    const ssize_t got = pread(file_.get(), text.data(), text.size(), 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

 private:
  static constexpr std::size_t most_bytes = 16 * 1024;

  Descriptor file_;
};

}  // namespace tilelab::cuda
