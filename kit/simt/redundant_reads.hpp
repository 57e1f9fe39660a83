// Redundant reads: those that tell no observer of the memory rules anything new. They are counted
// here and not announced, which is what makes the executor fast: most of a kernel's accesses are such reads.
//
// Two kinds. Of a buffer that the kernel may only read, all. Of a word of shared memory, those of one statement in one barrier
// interval, after the first: all that such a read adds is its thread, and of the threads the lowest and the highest are kept.
// The race detector offers such a word; whoever needs to hear of every thread drops it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

class RedundantReads {
 public:
  struct Word {  // four bytes of shared memory; as small as can be: the cache holds the more of them
    std::uint32_t pc = 0, interval = 0;
    std::uint16_t warp_interval = 0;
    std::uint16_t lowest = 0, highest = 0;  // threads
    std::uint16_t position = 0;             // the offerer's own business
  };

  void begin_launch(std::size_t shared_span) {
    count_ = (shared_span + 3) / 4;
    words_.assign(count_, {});
    interval_ = 1;
  }
  // Nothing is known any more.
  void begin_interval() {
    if (++interval_ == 0) begin_launch(count_ * 4);
  }

  // Whether a read of `size` bytes, `offset` bytes into the shared span, is redundant; its thread is noted where it is.
  template <std::size_t size>
  bool covers(std::size_t offset, std::uintptr_t pc, std::uint32_t thread, std::uint32_t warp_interval) {
    static_assert(size % 4 == 0);
    const std::size_t first = offset / 4;
    if (offset % 4 != 0 || first + size / 4 > count_) return false;
    for (std::size_t at = first; at < first + size / 4; ++at) {
      Word& word = words_[at];
      if (word.pc != pc || word.interval != interval_ || word.warp_interval != warp_interval) return false;
      if (thread < word.lowest) word.lowest = static_cast<std::uint16_t>(thread);
      if (thread > word.highest) word.highest = static_cast<std::uint16_t>(thread);
    }
    return true;
  }
  void count_shared(std::size_t bytes) { shared_bytes_ += bytes; }
  void count_input(std::size_t bytes) { input_bytes_ += bytes; }

  // By threads `lowest` to `highest`, so far. What does not fit in the small fields is left to be announced.
  void offer(std::size_t at, std::uintptr_t pc, std::uint32_t warp_interval, std::uint16_t lowest, std::uint16_t highest,
             std::size_t position) {
    if (pc > 0xFFFFFFFF || warp_interval > 0xFFFF || position > 0xFFFF) return;
    words_[at] = {static_cast<std::uint32_t>(pc),      interval_, static_cast<std::uint16_t>(warp_interval), lowest, highest,
                  static_cast<std::uint16_t>(position)};
  }
  // What was offered of this word in this interval, or null; from here on its reads are announced again.
  const Word* drop(std::size_t at) {
    if (at >= count_ || words_[at].interval != interval_) return nullptr;
    words_[at].interval = 0;
    return &words_[at];
  }

  // That were not announced.
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  std::uint64_t input_bytes() const { return input_bytes_; }

 private:
  std::vector<Word> words_;
  std::size_t count_ = 0;  // of them
  std::uint32_t interval_ = 1;
  std::uint64_t shared_bytes_ = 0, input_bytes_ = 0;
};

}  // namespace tilelab::simt
