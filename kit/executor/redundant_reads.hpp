// Redundant reads: reads that give no observer of the memory rules new information. They are counted here and not announced. This
// makes the executor fast, because most of a kernel's accesses are such reads.
//
// There are two kinds. All reads of a buffer that the kernel may only read. And reads of a word of shared memory by the same
// statement in the same barrier interval, after the first: such a read only adds its thread, and of the threads the lowest and
// the highest are kept. The race detector offers such a word. An observer that must hear of every thread drops it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

class RedundantReads {
 public:
  struct Word {  // four bytes of shared memory; small, so that many fit into the cache
    std::uint32_t pc = 0, interval = 0;
    std::uint16_t warp_interval = 0;
    std::uint16_t lowest = 0, highest = 0;  // threads
    std::uint16_t position = 0;             // only the observer that offered the word uses it
  };

  void begin_launch(std::size_t shared_span) {
    count_ = (shared_span + 3) / 4;
    words_.assign(count_, {});
    interval_ = 1;
  }
  // Forgets all words.
  void begin_interval() {
    if (++interval_ == 0) begin_launch(count_ * 4);
  }

  // Whether a read of `size` bytes, `offset` bytes into the shared span, is redundant. If so, its thread is recorded.
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

  // From now on, reads of this word are redundant; threads `lowest` to `highest` have read it. Values too large for the small
  // fields are not stored, and these reads are announced.
  void offer(std::size_t at, std::uintptr_t pc, std::uint32_t warp_interval, std::uint16_t lowest, std::uint16_t highest,
             std::size_t position) {
    if (pc > 0xFFFFFFFF || warp_interval > 0xFFFF || position > 0xFFFF) return;
    words_[at] = {static_cast<std::uint32_t>(pc),      interval_, static_cast<std::uint16_t>(warp_interval), lowest, highest,
                  static_cast<std::uint16_t>(position)};
  }
  // What was offered of this word in this interval, or null. From now on its reads are announced again.
  const Word* drop(std::size_t at) {
    if (at >= count_ || words_[at].interval != interval_) return nullptr;
    words_[at].interval = 0;
    return &words_[at];
  }

  // Bytes of reads that were not announced.
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  std::uint64_t input_bytes() const { return input_bytes_; }

 private:
  std::vector<Word> words_;
  std::size_t count_ = 0;  // number of words
  std::uint32_t interval_ = 1;
  std::uint64_t shared_bytes_ = 0, input_bytes_ = 0;
};

}  // namespace tilelab::simt
