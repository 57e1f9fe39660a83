// Records what one block does, step by step and with the values: accesses to buffers and shared arrays, and the block's barriers.
// It judges nothing and records no other block. The number of steps is limited.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/event.hpp"
#include "simt/region.hpp"

namespace tilelab::simt {

struct TraceStep {
  enum class Kind : std::uint8_t { read, write, atomic, barrier };
  Kind kind = Kind::read;
  std::uint32_t thread = 0;    // linear in its block; not used by a barrier, which belongs to all
  std::uint32_t interval = 0;  // barriers that the block had passed before
  const Region* region = nullptr;
  std::uint64_t offset = 0;  // bytes from the region's first byte
  std::uint32_t bytes = 0;   // 1, 2, 4 or 8
  std::uint64_t bits = 0;    // the value before a read, or after a write or an atomic
  std::uintptr_t pc = 0;
};

class TraceRecorder final : public Observer {
 public:
  TraceRecorder(std::uint64_t block, std::size_t most_steps) : block_(block), most_steps_(most_steps) {}

  bool watches(Space) const override { return true; }
  void on_access(const Access& access) override;
  void on_barrier(const BarrierEvent& event) override;
  void on_block_parked(std::uint64_t) override { settle(); }
  void on_block_end(std::uint64_t block, std::uint32_t last_interval) override;

  // In the order in which the block executed them. The steps of each thread are in program order.
  const std::vector<TraceStep>& steps();
  // True if no step of the block is missing.
  bool complete() const { return ended_ && !overflowed_; }

 private:
  bool has_room();
  void settle();

  std::uint64_t block_;
  std::size_t most_steps_;
  std::vector<TraceStep> steps_;
  std::size_t settled_ = 0;  // writes before this one have their values
  bool ended_ = false, overflowed_ = false;
};

}  // namespace tilelab::simt
