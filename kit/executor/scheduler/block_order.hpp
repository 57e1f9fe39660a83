// The order in which the blocks of a launch start (as they are numbered, backwards, or shuffled), and how many a large GPU holds at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "executor/event.hpp"

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

// How many blocks a large GPU holds at once. The executor does not depend on it: it says which grids no GPU can run if all their
// blocks must run together.
//
// The multiprocessors of the largest GPUs of 2025 (148), with some room. What fits into one of them: CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability", at 9.0 and 10.0. Registers may allow fewer.
inline constexpr std::uint64_t most_multiprocessors = 160;

inline std::uint64_t most_resident_blocks(const LaunchEvent& launch) {
  constexpr std::uint64_t threads_at_once = 2048, blocks_at_once = 32;
  constexpr std::size_t shared_bytes = 228 * 1024, reserved_of_a_block = 1024;
  const std::uint64_t threads = (std::uint64_t{launch.block.x} * launch.block.y * launch.block.z + 31) / 32 * 32;
  const std::size_t shared = launch.static_shared_bytes + launch.dynamic_shared_bytes + reserved_of_a_block;
  const std::uint64_t of_one = std::min({blocks_at_once, threads_at_once / threads, std::uint64_t{shared_bytes / shared}});
  return most_multiprocessors * std::max<std::uint64_t>(of_one, 1);
}

}  // namespace tilelab::simt
