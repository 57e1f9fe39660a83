// Which bytes of a whole program's buffer one launch has touched, and how, so that launches in different streams can be compared. It is
// not for one launch: the race detector compares its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

// What a launch did with four bytes of a buffer. Lies in a memory file.
struct WordTouch {
  static constexpr unsigned read = 0x001, written = 0x010, atomic = 0x100;  // of byte 0; each has one bit for each of the four

  std::uint16_t bytes = 0;
  std::uint16_t reader = 0, writer = 0;  // lines of the source; 0: unknown. writer: also of atomics
  friend bool operator==(const WordTouch&, const WordTouch&) = default;
};

// Words [first, end) of a buffer that were touched in the same way.
struct TouchedRun {
  std::size_t first = 0, end = 0;
  WordTouch touch;
};
using TouchedRuns = std::vector<TouchedRun>;  // in order, and apart

}  // namespace tilelab::simt
