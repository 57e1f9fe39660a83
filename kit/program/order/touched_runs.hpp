// Compares what two pieces of work touched of one allocation, byte by byte. Knows nothing of their order: see pending_work.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "simt/memory/touched_words.hpp"

namespace tilelab::program {

using simt::TouchedRuns;
using simt::WordTouch;

inline constexpr std::size_t most_touched_runs = 1u << 20;  // of one buffer

// Of `words`, those from `first` to `end`. Nothing: there are too many runs.
std::optional<TouchedRuns> runs_of(const WordTouch* words, std::size_t first, std::size_t end);
// Rows of bytes that a copy reads or writes; `pitch` bytes lie between the beginnings of two. Nothing: there are too many.
std::optional<TouchedRuns> runs_of_rows(std::size_t offset, std::size_t rows, std::size_t row_bytes, std::size_t pitch, bool writes);

struct TouchConflict {
  std::size_t byte = 0;  // from the buffer's start
  bool first_writes = false, second_writes = false;
  std::uint16_t first_line = 0, second_line = 0;
};
// The lowest byte that both touch, where one of them writes it, and not both are atomic.
std::optional<TouchConflict> first_conflict(const TouchedRuns& first, const TouchedRuns& second);

}  // namespace tilelab::program
