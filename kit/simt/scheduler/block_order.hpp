// The order in which the blocks of a launch start: as they are numbered, backwards, or shuffled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace tilelab::simt {

class BlockOrder {
 public:
  // `random` shuffles; null: it does not. A list of blocks for a very large grid would need a gigabyte, so such a launch runs in order.
  BlockOrder(std::uint64_t blocks, std::mt19937_64* random, bool reversed) : left_(blocks), reversed_(reversed) {
    if (random == nullptr || blocks > 1u << 22) return;
    shuffled_.resize(blocks);
    std::iota(shuffled_.begin(), shuffled_.end(), std::uint64_t{0});
    std::shuffle(shuffled_.begin(), shuffled_.end(), *random);
    if (!reversed_) std::reverse(shuffled_.begin(), shuffled_.end());  // the next is at the end
  }

  bool empty() const { return left_ == 0; }
  bool is_as_numbered() const { return !reversed_ && shuffled_.empty(); }
  std::uint64_t next() {
    --left_;
    if (!shuffled_.empty()) {
      const std::uint64_t block = shuffled_.back();
      shuffled_.pop_back();
      return block;
    }
    return reversed_ ? left_ : next_++;
  }
  // From now on, the blocks that are left start as they are numbered.
  void go_on_as_numbered() {
    reversed_ = false;
    std::sort(shuffled_.begin(), shuffled_.end(), std::greater<>());
  }

 private:
  std::uint64_t left_, next_ = 0;
  bool reversed_;
  std::vector<std::uint64_t> shuffled_;
};

}  // namespace tilelab::simt
