// How much of a launch is one thread's work: the most elements of the outputs that any thread stores, and the most words that any
// thread loads and stores, wherever they lie. An element that a thread stores again, as a sum that grows, counts once for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simt/event.hpp"
#include "simt/memory/local_memory.hpp"
#include "simt/memory/region.hpp"
#include "simt/warp_requests.hpp"

namespace tilelab::simt {

// What a kernel allocates is both read and written as well, but is no result.
inline bool is_result(const Region& region) {
  return region.role == BufferRole::output || (region.role == BufferRole::inout && region.heap == nullptr);
}

class ThreadShare final : public Observer {
 public:
  // What lies in `locals` is work as well.
  // So is what has joined `requests`, of which this is not told.
  explicit ThreadShare(const LocalMemory& locals, const WarpRequests* requests = nullptr) : locals_(locals), requests_(requests) {}

  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override { threads_ = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z; }
  void on_grid_begin(const GridEvent& child) override { threads_ = std::uint64_t{child.block.x} * child.block.y * child.block.z; }
  void on_block_begin(std::uint64_t) override {
    stored_.assign(threads_, 0);
    words_.assign(threads_, 0);
    seen_.clear();
  }
  [[gnu::always_inline]] void on_access(const Access& access) override {
    words_[access.by.thread] += (access.size + 3) / 4;
    if (access.kind != AccessKind::read && access.space == Space::global && is_result(*access.region)) store(access);
  }
  void on_block_end(std::uint64_t, std::uint32_t) override {
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      const std::uint64_t joined = requests_ != nullptr ? requests_->joined_by(thread) : 0;
      const std::uint64_t words = words_[thread] + joined + locals_.counted_bytes(thread) / 4;
      most_words_ = std::max(most_words_, words);
      all_words_ += words;
    }
  }

  void on_block_parked(std::uint64_t block) override {
    parked_[block] = {std::exchange(stored_, {}), std::exchange(words_, {}), std::exchange(seen_, {})};
  }
  void on_block_resumed(std::uint64_t block) override { std::tie(stored_, words_, seen_) = std::exchange(parked_[block], {}); }

  std::uint64_t most_elements() const { return most_elements_; }
  std::uint64_t most_words() const { return most_words_; }
  std::uint64_t all_words() const { return all_words_; }  // of all threads together

 private:
  void store(const Access& access) {
    const std::uint32_t thread = access.by.thread;
    for (std::uintptr_t word = access.address / 4; word <= (access.address + access.size - 1) / 4; ++word) {
      if (seen_.insert(word * threads_ + thread).second) most_elements_ = std::max(most_elements_, ++stored_[thread]);
    }
  }

  const LocalMemory& locals_;
  const WarpRequests* const requests_;
  std::uint64_t threads_ = 1, most_elements_ = 0, most_words_ = 0, all_words_ = 0;
  // Of the running block, by thread: elements and words. Then which elements, as one number for element and thread.
  std::vector<std::uint64_t> stored_, words_;
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_map<std::uint64_t, std::tuple<std::vector<std::uint64_t>, std::vector<std::uint64_t>, std::unordered_set<std::uint64_t>>>
      parked_;
};

}  // namespace tilelab::simt
