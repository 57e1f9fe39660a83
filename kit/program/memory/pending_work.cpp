// Compares what two pieces of work touched: see pending_work.hpp.
#include "program/memory/pending_work.hpp"

#include <algorithm>
#include <bit>

namespace tilelab::program {

namespace {

struct Bits {
  unsigned read, written, atomic;
  explicit Bits(const WordTouch& touch) : read(touch.bytes & 0xFu), written(touch.bytes >> 4 & 0xFu), atomic(touch.bytes >> 8 & 0xFu) {}
  unsigned any() const { return read | written | atomic; }
  bool changes(unsigned byte) const { return ((written | atomic) & byte) != 0; }
};

unsigned conflicting(const Bits& one, const Bits& other) {
  return (one.written & other.any()) | (other.written & one.any()) | (one.atomic & other.read) | (other.atomic & one.read);
}

void add(TouchedRuns& runs, std::size_t first, std::size_t end, const WordTouch& touch) {
  if (first == end) return;
  if (!runs.empty() && runs.back().end == first && runs.back().touch == touch)
    runs.back().end = end;
  else
    runs.push_back({first, end, touch});
}

}  // namespace

std::optional<TouchedRuns> runs_of(const WordTouch* words, std::size_t first, std::size_t end) {
  TouchedRuns runs;
  for (std::size_t at = first; at < end; ++at) {
    if (words[at].bytes == 0) continue;
    add(runs, at, at + 1, words[at]);
    if (runs.size() > most_touched_runs) return std::nullopt;
  }
  return runs;
}

std::optional<TouchedRuns> runs_of_rows(std::size_t offset, std::size_t rows, std::size_t row_bytes, std::size_t pitch, bool writes) {
  if (pitch == row_bytes) return runs_of_rows(offset, 1, rows * row_bytes, 0, writes);
  if (rows > most_touched_runs / 3) return std::nullopt;
  const auto touch = [writes](unsigned bytes) { return WordTouch{static_cast<std::uint16_t>(writes ? bytes << 4 : bytes), 0, 0}; };
  TouchedRuns runs;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = offset + row * pitch, end = at + row_bytes; at < end;) {
      const std::size_t word = at / 4;
      if (at % 4 == 0 && end - at >= 4) {
        add(runs, word, end / 4, touch(0xF));
        at = end / 4 * 4;
        continue;
      }
      const std::size_t stop = std::min(end, (word + 1) * 4);
      const WordTouch some = touch(((1u << (stop - at)) - 1u) << (at % 4));
      if (!runs.empty() && runs.back().end == word + 1) {  // the row before ends in this word
        const auto bytes = static_cast<std::uint16_t>(runs.back().touch.bytes | some.bytes);
        if (--runs.back().end == runs.back().first) runs.pop_back();
        add(runs, word, word + 1, {bytes, 0, 0});
      } else {
        add(runs, word, word + 1, some);
      }
      at = stop;
    }
  }
  return runs;
}

std::optional<TouchConflict> first_conflict(const TouchedRuns& first, const TouchedRuns& second) {
  for (auto one = first.begin(), other = second.begin(); one != first.end() && other != second.end();) {
    const Bits a(one->touch), b(other->touch);
    const unsigned bytes = conflicting(a, b);
    const std::size_t word = std::max(one->first, other->first);
    if (word < std::min(one->end, other->end) && bytes != 0) {
      const auto place = static_cast<unsigned>(std::countr_zero(bytes));
      const bool changes = a.changes(1u << place), other_changes = b.changes(1u << place);
      return TouchConflict{.byte = word * 4 + place,
                           .first_writes = changes,
                           .second_writes = other_changes,
                           .first_line = changes ? one->touch.writer : one->touch.reader,
                           .second_line = other_changes ? other->touch.writer : other->touch.reader};
    }
    if (one->end <= other->end)
      ++one;
    else
      ++other;
  }
  return std::nullopt;
}

}  // namespace tilelab::program
