// One kernel argument's device memory between two guard zones. They show writes before or past the buffer. A read there gives a
// NaN, so the result shows it if the value is used. Reads that are not used stay unseen: a GPU does not report them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
  GuardedBuffer(const Driver& driver, const std::vector<std::byte>& content, std::size_t guard = guard_bytes);
  // Unwritten memory without zones: for an output, if another program watches the reads.
  GuardedBuffer(const Driver& driver, std::size_t bytes);
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : driver_(other.driver_), memory_(std::exchange(other.memory_, 0)), bytes_(other.bytes_), padded_(other.padded_),
        guard_(other.guard_) {}
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  ~GuardedBuffer();

  DeviceAddress address() const { return memory_ + guard_; }
  std::vector<std::byte> content() const;
  // Where the guard zones were written: the byte offset nearest to the buffer, negative before it. None if they are unchanged.
  std::optional<std::ptrdiff_t> overrun() const;

 private:
  std::vector<std::uint32_t> words(DeviceAddress from, std::size_t count) const;

  const Driver& driver_;
  DeviceAddress memory_ = 0;
  std::size_t bytes_, padded_;  // padded: rounded up to whole words
  std::size_t guard_;
};

// What a kernel is launched with: for each argument, where its number or the address of its buffer lies. `buffers` are those of the
// arguments that are no scalars.
class KernelParameters {
 public:
  KernelParameters(const std::vector<protocol::Argument>& arguments, std::vector<DeviceAddress> buffers);
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
  PrintedOutput();  // replaces standard output for the rest of the process; throws std::system_error
  void clear();
  std::string text() const;  // at most 16 KiB of what was printed since then

 private:
  Descriptor file_;
};

}  // namespace tilelab::cuda
