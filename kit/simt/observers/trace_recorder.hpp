// Writes down what one block does, step by step and with the values: accesses to buffers and shared arrays, and the
// block's barriers. Judges nothing, and says nothing of other blocks. Keeps a bounded number of steps.
#pragma once

#include <cstdint>
#include <vector>

#include "simt/event.hpp"
#include "simt/region.hpp"

namespace tilelab::simt {

struct TraceStep {
  enum class Kind : std::uint8_t { read, write, atomic, barrier };
  Kind kind = Kind::read;
  std::uint32_t thread = 0;    // linear in its block; a barrier belongs to all
  std::uint32_t interval = 0;  // barriers the block had passed before
  const Region* region = nullptr;
  std::uint64_t offset = 0;  // bytes from the region's first byte
  std::uint32_t bytes = 0;   // 1, 2, 4 or 8
  std::uint64_t bits = 0;    // what was there: read before a read, after a write or an atomic
  std::uintptr_t pc = 0;
};

class TraceRecorder final : public Observer {
 public:
  TraceRecorder(std::uint64_t block, std::size_t most_steps) : block_(block), most_steps_(most_steps) {}

  bool watches(Space) const override { return true; }
  void on_access(const Access& access) override;
  void on_barrier(const BarrierEvent& event) override;
  void on_block_end(std::uint64_t block, std::uint32_t last_interval) override;

  // In the order in which the block made them; each thread's own are in its program's order.
  const std::vector<TraceStep>& steps();
  // Nothing of the block is missing from them.
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
