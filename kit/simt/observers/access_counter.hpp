// Counts the bytes that the threads of a launch access in each memory space. It counts the source's statements, not a compiler's
// instructions. Requests, sectors and bank conflicts are not counted here, nor are reads of constant memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "simt/event.hpp"
#include "simt/memory/region.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {

class AccessCounter final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override { redundant_ = launch.redundant; }
  void on_access(const Access& access) override {
    if (access.unit != Unit::none) return;
    const auto space = static_cast<std::size_t>(access.space);
    const bool constant = access.space == Space::module && access.region != nullptr && access.region->role == BufferRole::input;
    if (access.kind != AccessKind::write && !constant) loaded_[space] += access.size;
    if (access.kind != AccessKind::read) stored_[space] += access.size;
  }
  void on_barrier(const BarrierEvent&) override { ++barriers_; }
  std::map<std::string, std::uint64_t> counters() const {
    const std::uint64_t inputs = redundant_ != nullptr ? redundant_->input_bytes() : 0,
                        shared = redundant_ != nullptr ? redundant_->shared_bytes() : 0;
    return {{"global_load_bytes", loaded_[0] + loaded_[2] + inputs},
            {"global_store_bytes", stored_[0] + stored_[2]},
            {"shared_load_bytes", loaded_[1] + shared},
            {"shared_store_bytes", stored_[1]},
            {"block_barriers", barriers_}};
  }

 private:
  std::array<std::uint64_t, 3> loaded_{}, stored_{};
  std::uint64_t barriers_ = 0;
  const RedundantReads* redundant_ = nullptr;
};

}  // namespace tilelab::simt
