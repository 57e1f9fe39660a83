// Which bytes of a buffer hold a value, and which of them a kernel wrote. A whole program's buffers have these marks beyond a launch:
// they lie in memory that the launches share. Also what of a buffer one launch has used: a range, and where launches in different streams
// are compared, each word. It is not for the threads of one launch: the race detector compares those.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

// [first, end) in bytes from a buffer's start; nothing if `end` is 0.
struct UsedRange {
  std::size_t first = ~std::size_t{0}, end = 0;
  void add(std::size_t at, std::size_t bytes) {
    first = std::min(first, at);
    end = std::max(end, at + bytes);
  }
};

// What the host must not do while the launch runs, and where. Its atomic functions and those of kernels that end in _system do not
// disturb each other, and what a kernel reads through a pointer to volatile may change: it waits for that.
struct HostConflicts {
  UsedRange reads, writes, atomics;
};

// What a launch did with four bytes of a buffer. Lies in a memory file.
struct WordTouch {
  static constexpr unsigned read = 0x001, written = 0x010, atomic = 0x100;  // of byte 0; each has one bit for each of the four

  std::uint16_t bytes = 0;
  std::uint16_t reader = 0, writer = 0;  // lines of the source; 0: unknown. writer: also of atomics
  friend bool operator==(const WordTouch&, const WordTouch&) = default;
};

struct ByteMarks {
  static constexpr std::uint8_t has_value = 0x0F, by_kernel = 0xF0;  // one bit for each byte of a word

  std::uint8_t* words = nullptr;  // one for each four bytes of the buffer
  UsedRange read, written;        // by this launch
  WordTouch* touched = nullptr;   // the same for each word, where somebody asks for it
  HostConflicts* host = nullptr;  // null: the host cannot reach this buffer

  void read_plainly(std::size_t at, std::size_t bytes) {
    read.add(at, bytes);
    if (host == nullptr) return;
    host->writes.add(at, bytes);
    host->atomics.add(at, bytes);
  }
};

// Words [first, end) of a buffer that were touched in the same way.
struct TouchedRun {
  std::size_t first = 0, end = 0;
  WordTouch touch;
};
using TouchedRuns = std::vector<TouchedRun>;  // in order, and apart

}  // namespace tilelab::simt
