// What one statement did to one word (four bytes) in one barrier interval of one block, merged over the threads that executed it: when
// two such accesses conflict, and when an access happened. Then the lists in which the words lie. Which accesses are ordered is decided
// elsewhere.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/region.hpp"

namespace tilelab::simt {

// A mask of the bytes from `first` on that are in its word and before `end`.
inline std::uint8_t bytes_of_word(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t last = std::min(end, (first / 4 + 1) * 4);
  return static_cast<std::uint8_t>(((1u << (last - first)) - 1u) << (first % 4));
}

// The parts of an access that are needed to ask whether a thread knows that it has happened.
struct Moment {
  std::uint32_t block = 0, interval = 0;
  std::uint16_t thread = 0, epoch = 0;  // epoch: number of fences that its thread had passed in the interval
  std::uint32_t warp_interval = 0;
  std::uint32_t segment = 0;  // see ThreadOrder
};

// Plain writes of equal values to the same place. told: a race that says so.
enum class SameValue : std::uint8_t { races, told, allowed };

// What a statement does to a word.
struct WordAccess {
  std::uintptr_t pc = 0;
  const Region* region = nullptr;
  std::uint32_t content = 0;  // of the word after the write; only used where equal values are allowed or told
  AccessKind kind = AccessKind::read;
  std::uint8_t bytes = 0;  // mask of the word's four bytes
  bool is_volatile = false, block_scope = false, is_strong = false;
  bool has_content = false, several_values = false;

  bool is_like(const WordAccess& other) const {
    return pc == other.pc && kind == other.kind && bytes == other.bytes && is_volatile == other.is_volatile &&
           is_strong == other.is_strong && block_scope == other.block_scope;
  }
  bool passes_a_flag() const { return kind == AccessKind::atomic || is_volatile || is_strong; }
  // The order in a pair that races does not depend on which ran first: the write comes first, else the statement at the lower address.
  auto rank() const { return std::tuple(kind == AccessKind::read, pc, kind); }
};

struct Footprint : WordAccess {
  std::uint64_t after = 0;       // accesses that fences order before it: one bit for each position in the word's list of this interval
  std::uint64_t after_past = 0;  // the same for accesses of earlier blocks
  std::uint32_t warp_interval = 0;
  std::uint32_t syncs = 0;  // __syncwarp()s of its warp that had completed before the first of these accesses
  std::uint32_t state = 0;  // of its threads: see ThreadOrder
  Phase completed_by{};     // of an asynchronous copy; no barrier: nothing but a wait of its thread completes it
  std::uint16_t lowest = 0, highest = 0, epoch = 0;
  bool alone = false;      // of one thread only, because fences order it
  bool committed = false;  // the launch's history has it already
  bool of_copy = false;    // of an asynchronous copy: it happens at any time until a wait
  bool has_gaps = false;   // some thread between the lowest and the highest may have no part in it
};

// Whether two unordered accesses to one byte race. A volatile access to the place of another thread's atomic or volatile access
// passes a flag, and is no race. But two volatile writes are a race, and so are lanes of a warp that use volatile instead of
// __syncwarp(). An atomic of block scope does not count as atomic for other blocks.
inline bool conflict(const WordAccess& a, const WordAccess& b, bool same_block, bool same_warp) {
  if ((a.bytes & b.bytes) == 0) return false;
  if (a.kind == AccessKind::read && b.kind == AccessKind::read) return false;
  const bool both_atomic = a.kind == AccessKind::atomic && b.kind == AccessKind::atomic;
  if (!same_block && (a.block_scope || b.block_scope)) return true;
  if (both_atomic || (a.is_strong && b.is_strong)) return false;
  if (!a.passes_a_flag() || !b.passes_a_flag()) return true;
  if (a.is_volatile && b.is_volatile) return (a.kind == AccessKind::write && b.kind == AccessKind::write) || same_warp;
  return false;
}

// Plain writes that wrote the same value to the bytes that they share.
inline bool same_value(const WordAccess& a, const WordAccess& b) {
  if (a.kind != AccessKind::write || b.kind != AccessKind::write) return false;
  if (!a.has_content || !b.has_content || a.several_values || b.several_values) return false;
  std::uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (((a.bytes & b.bytes) >> byte & 1) != 0) mask |= 0xFFu << (8 * byte);
  }
  return ((a.content ^ b.content) & mask) == 0;
}

// Of two statements that race on the bytes of a word that they share, each by one of its threads.
inline RawFinding race_between(const WordAccess& a, const ThreadRef& by, const WordAccess& b, const ThreadRef& other, std::uintptr_t word) {
  const auto common = static_cast<std::uint8_t>(a.bytes & b.bytes);
  RawFinding finding = finding_at(Verdict::race, {a.pc, access_name(a.kind), by}, {b.pc, access_name(b.kind), other});
  finding.region = a.region;
  finding.offset = static_cast<std::int64_t>(word * 4 - a.region->base) + std::countr_zero(common);
  finding.size = static_cast<std::uint32_t>(std::popcount(common));
  return finding;
}

constexpr std::uint64_t position_bit(std::size_t position) { return position < 64 ? std::uint64_t{1} << position : 0; }

// The mask after the element at `position` is removed from the list.
constexpr std::uint64_t without_position(std::uint64_t mask, std::size_t position) {
  if (position >= 64) return mask;
  const std::uint64_t below = position_bit(position) - 1;
  return (mask & below) | ((mask >> 1) & ~below);
}

// A list that grows at its end and whose elements keep their addresses. A deque of the standard library takes memory for a few of them at a
// time, which costs more than what is kept there.
template <typename Element>
class ChunkedList {
 public:
  explicit ChunkedList(std::size_t size = 0) { resize(size); }
  std::size_t size() const { return size_; }
  Element& operator[](std::size_t i) { return chunks_[i / chunk][i % chunk]; }
  const Element& operator[](std::size_t i) const { return chunks_[i / chunk][i % chunk]; }
  Element& emplace_back() {
    if (size_ == chunks_.size() * chunk) chunks_.push_back(std::make_unique<Element[]>(chunk));
    return (*this)[size_++] = Element{};
  }
  void resize(std::size_t size) {
    while (size_ < size) emplace_back();
    size_ = size;
  }

 private:
  static constexpr std::size_t chunk = 256;  // elements
  std::vector<std::unique_ptr<Element[]>> chunks_;
  std::size_t size_ = 0;
};

// The words of global memory that a block accesses in one barrier interval, found by address. It is an open-addressing hash
// table. Entries become invalid when the interval ends, so nothing is cleared, and in the long run nothing is allocated.
template <typename Word>
class WordTable {
 public:
  // The word of this number, either new or as it was left in this interval. Null if there are too many.
  Word* at(std::uintptr_t number) {
    if (used_ * 2 >= entries_.size()) grow();
    std::size_t at = hash(number);
    while (entries_[at].interval == interval_ && entries_[at].number != number) at = (at + 1) & (entries_.size() - 1);
    Entry& entry = entries_[at];
    if (entry.interval == interval_) return &words_[entry.word];
    if (used_ >= max_words) return nullptr;
    entry = {number, interval_, static_cast<std::uint32_t>(used_)};
    if (used_ == words_.size()) words_.emplace_back();
    return &words_[used_++];
  }
  std::size_t size() const { return used_; }
  Word& operator[](std::size_t i) { return words_[i]; }  // in the order of first access
  void begin_interval() {
    ++interval_;
    used_ = 0;
  }

 private:
  struct Entry {
    std::uintptr_t number = 0;
    std::uint64_t interval = 0;
    std::uint32_t word = 0;
  };
  static constexpr std::size_t first_entries = 1024, max_words = 1u << 20;

  std::size_t hash(std::uintptr_t number) const {
    return static_cast<std::size_t>((number * 0x9E3779B97F4A7C15ull) >> 32) & (entries_.size() - 1);
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? first_entries : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.interval != interval_) continue;
      std::size_t at = hash(entry.number);
      while (entries_[at].interval == interval_) at = (at + 1) & (entries_.size() - 1);
      entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_;
  ChunkedList<Word> words_;
  std::size_t used_ = 0;
  std::uint64_t interval_ = 1;
};

}  // namespace tilelab::simt
