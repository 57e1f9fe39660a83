// Whole words at once; the bytes before and behind them one by one.
#include "program/memory/value_marks.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tilelab::program {
namespace {

constexpr std::uint8_t whole = 0x0F;

std::uint8_t bit(std::size_t at) { return static_cast<std::uint8_t>(1u << (at % 4)); }

// Bytes up to the next whole word, at most `bytes`.
std::size_t before_words(std::size_t first, std::size_t bytes) { return std::min(bytes, (4 - first % 4) % 4); }

void set_byte(std::uint8_t* marks, std::size_t at, bool is_set, bool by_kernel) {
  std::uint8_t& word = marks[at / 4];
  const std::uint8_t one = bit(at);
  word = static_cast<std::uint8_t>(word & ~(one | (one << 4)));
  if (is_set) word = static_cast<std::uint8_t>(word | one);
  if (by_kernel) word = static_cast<std::uint8_t>(word | (one << 4));
}

template <typename Test>
bool every_word(const std::uint8_t* marks, std::size_t first, std::size_t bytes, const Test& test) {
  const std::size_t head = before_words(first, bytes), words = (bytes - head) / 4;
  for (std::size_t at = first; at < first + head; ++at) {
    if (!test(static_cast<std::uint8_t>(marks[at / 4] & bit(at)), bit(at))) return false;
  }
  const std::uint8_t* middle = marks + (first + head) / 4;
  for (std::size_t i = 0; i < words; ++i) {
    if (!test(static_cast<std::uint8_t>(middle[i] & whole), whole)) return false;
  }
  for (std::size_t at = first + head + words * 4; at < first + bytes; ++at) {
    if (!test(static_cast<std::uint8_t>(marks[at / 4] & bit(at)), bit(at))) return false;
  }
  return true;
}

}  // namespace

void mark_as_set(std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  const std::size_t head = before_words(first, bytes), words = (bytes - head) / 4;
  for (std::size_t at = first; at < first + head; ++at) set_byte(marks, at, true, false);
  std::memset(marks + (first + head) / 4, whole, words);
  for (std::size_t at = first + head + words * 4; at < first + bytes; ++at) set_byte(marks, at, true, false);
}

void copy_marks(std::uint8_t* to, std::size_t to_first, const std::uint8_t* from, std::size_t from_first, std::size_t bytes) {
  if (to_first % 4 == 0 && from_first % 4 == 0 && bytes % 4 == 0) {
    std::memmove(to + to_first / 4, from + from_first / 4, bytes / 4);
    return;
  }
  const std::vector<std::uint8_t> kept(from + from_first / 4, from + (from_first + bytes + 3) / 4);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t at = from_first % 4 + i;
    set_byte(to, to_first + i, (kept[at / 4] & bit(at)) != 0, (kept[at / 4] & (bit(at) << 4)) != 0);
  }
}

void for_each_written_by_kernel(const std::uint8_t* marks, std::size_t first, std::size_t bytes,
                                const std::function<void(std::size_t, std::size_t)>& visit) {
  const std::size_t end = first + bytes;
  std::size_t begin = end;  // of the part that is under way; `end`: none
  for (std::size_t at = first; at < end; ++at) {
    const bool written = (marks[at / 4] & (bit(at) << 4)) != 0;
    if (written && begin == end) begin = at;
    if (written || begin == end) continue;
    visit(begin, at - begin);
    begin = end;
  }
  if (begin != end) visit(begin, end - begin);
}

bool all_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  return every_word(marks, first, bytes, [](std::uint8_t found, std::uint8_t wanted) { return found == wanted; });
}

bool none_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  return every_word(marks, first, bytes, [](std::uint8_t found, std::uint8_t) { return found == 0; });
}

}  // namespace tilelab::program
