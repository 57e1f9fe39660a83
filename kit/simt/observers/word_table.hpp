// The words of global memory that a block accesses in one barrier interval, found by address. It is an open-addressing hash
// table. Entries become invalid when the interval ends, so nothing is cleared, and in the long run nothing is allocated.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/observers/chunked_list.hpp"

namespace tilelab::simt {

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
