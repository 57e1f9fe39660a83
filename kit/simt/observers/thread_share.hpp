// How much of the outputs is one thread's work: the most elements that any one of them stores. An element that a thread stores
// again, as a sum that grows, counts once for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "simt/event.hpp"
#include "simt/region.hpp"

namespace tilelab::simt {

class ThreadShare final : public Observer {
 public:
  bool watches(Space space) const override { return space == Space::global; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override { threads_ = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z; }
  void on_block_begin(std::uint64_t) override {
    stored_.assign(threads_, 0);
    seen_.clear();
  }
  void on_access(const Access& access) override {
    if (access.kind == AccessKind::read || access.region->role != BufferRole::output) return;
    for (std::uintptr_t word = access.address / 4; word <= (access.address + access.size - 1) / 4; ++word) {
      if (seen_.insert(word * threads_ + access.by.thread).second) most_ = std::max(most_, ++stored_[access.by.thread]);
    }
  }

  std::uint64_t most_elements() const { return most_; }

 private:
  std::uint64_t threads_ = 1, most_ = 0;
  // Of the running block: elements by thread, and which, as one number for element and thread.
  std::vector<std::uint64_t> stored_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace tilelab::simt
