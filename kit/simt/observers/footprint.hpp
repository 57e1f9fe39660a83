// Which 4-byte words the lanes of one request access. Sectors and shared-memory wavefronts follow from them. They are stored as
// rows of 128 bytes with a bit for each word, linked in a pool. Most requests need one row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

class FootprintPool {
 public:
  static constexpr std::uint32_t end = ~0u;

  void clear() { rows_.clear(); }
  // Adds `size` bytes at `address` to the list that begins at `head` (`end`: a new one). Returns the list's head.
  std::uint32_t add(std::uint32_t head, std::uintptr_t address, std::uint32_t size) {
    const std::uintptr_t first = address / 4, last = (address + size - 1) / 4;
    for (std::uintptr_t word = first; word <= last;) {
      const std::uintptr_t stop = std::min(last, word | 31);
      const auto count = static_cast<unsigned>(stop - word + 1);
      const std::uint32_t bits = (count == 32 ? ~0u : (1u << count) - 1) << (word & 31);
      head = add_row(head, word / 32, bits);
      word = stop + 1;
    }
    return head;
  }

  // The same for at most four bytes. Most requests have one row, which their first lane has made.
  std::uint32_t add_narrow(std::uint32_t head, std::uintptr_t address, std::uint32_t size) {
    const std::uintptr_t word = address / 4;
    const bool in_one_word = size != 0 && address % 4 + size <= 4;
    if (!in_one_word || head == end || rows_[head].row != word / 32) return add(head, address, size);
    rows_[head].words |= 1u << (word & 31);
    return head;
  }

  // Adds one word where it lies in the row that `head` begins with. False: it lies elsewhere, and was not added.
  [[gnu::always_inline]] bool add_to_first_row(std::uint32_t head, std::uintptr_t word) {
    if (head == end || rows_[head].row != word / 32) return false;
    rows_[head].words |= 1u << (word & 31);
    return true;
  }

  // The number of distinct 32-byte segments of global memory.
  std::uint32_t sectors(std::uint32_t head) const {
    std::uint32_t count = 0;
    for (; head != end; head = rows_[head].next) {
      for (unsigned sector = 0; sector < 4; ++sector) count += (rows_[head].words >> (8 * sector) & 0xFF) != 0;
    }
    return count;
  }
  // The number of distinct words.
  std::uint32_t words(std::uint32_t head) const {
    std::uint32_t count = 0;
    for (; head != end; head = rows_[head].next) count += static_cast<std::uint32_t>(std::popcount(rows_[head].words));
    return count;
  }
  // The largest number of distinct words in one of the 32 banks of shared memory. Lanes with equal words count once.
  std::uint32_t most_words_of_a_bank(std::uint32_t head) const {
    std::array<std::uint8_t, 32> words{};
    for (; head != end; head = rows_[head].next) {
      for (std::uint32_t left = rows_[head].words; left != 0; left &= left - 1) ++words[static_cast<unsigned>(std::countr_zero(left))];
    }
    return *std::max_element(words.begin(), words.end());
  }

 private:
  struct Row {
    std::uintptr_t row;
    std::uint32_t words, next;
  };

  std::uint32_t add_row(std::uint32_t head, std::uintptr_t row, std::uint32_t bits) {
    for (std::uint32_t at = head; at != end; at = rows_[at].next) {
      if (rows_[at].row == row) {
        rows_[at].words |= bits;
        return head;
      }
    }
    rows_.push_back({row, bits, head});
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  std::vector<Row> rows_;
};

}  // namespace tilelab::simt
