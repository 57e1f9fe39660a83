// Records what one block does, step by step and with the values: accesses to buffers and shared arrays, the block's barriers, what
// lanes exchange, and, where not all threads reach a barrier, who waits where and who has left. It judges nothing and records no other
// block. The number of steps is limited.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simt/event.hpp"
#include "simt/memory/region.hpp"
#include "simt/observers/control_path.hpp"
#include "simt/observers/loop_map.hpp"

namespace tilelab::simt {

struct TraceStep {
  enum class Kind : std::uint8_t {
    read,
    write,
    atomic,
    barrier,
    outside,   // an access that no region contains
    wait,      // at a barrier or a warp operation that some threads do not reach
    leave,     // the thread has left the kernel; known when others wait for it
    stop,      // a finding has ended the thread
    exchange,  // a warp operation: __syncwarp(), a shuffle, a vote
  };
  Kind kind = Kind::read;
  std::uint32_t thread = 0;    // linear in its block; not used by a barrier, which belongs to all
  std::uint32_t interval = 0;  // barriers that the block had passed before
  const Region* region = nullptr;
  std::uint64_t offset = 0;   // bytes from the region's first byte; of an access before it, modulo 2^64; of an exchange: the source lane
  std::uint32_t bytes = 0;    // 1, 2, 4 or 8; of an exchange that brings nothing: 0
  std::uint64_t bits = 0;     // the value before a read, or after a write or an atomic; what an exchange brings
  std::uintptr_t pc = 0;      // 0: not known, or the kernel's end
  const char* function = "";  // of an exchange; empty: a shuffle
  ExchangedType type = ExchangedType::bits;
  // Lanes of a warp with the same slot do this step together, as one request: see RequestCounter. If a lane has it several times
  // between two barriers, each time is another request.
  std::uint32_t slot = 0;
  std::uint32_t part = 0;  // counts the elements of one access; 0 is its first
};

class TraceRecorder final : public Observer {
 public:
  TraceRecorder(std::uint64_t block, std::size_t most_steps, LoopMap loops = {})
      : block_(block), most_steps_(most_steps), loops_(std::move(loops)) {}

  bool watches(Space) const override { return true; }
  bool follows_control() const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override { make_room(launch.block); }
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_stray(const Access& access, const Region* nearest) override;
  void on_barrier(const BarrierEvent& event) override;
  void on_standstill(const StandstillEvent& event) override;
  void on_warp_operation(const WarpOperationEvent& event) override;
  void on_undefined_lane(const LaneEvent& event) override;
  void on_thread_ended(const ThreadRef& thread) override;
  void on_edge(const ThreadRef& by, std::uintptr_t pc) override {
    if (ControlPath* path = path_of(by)) path->block(loops_, pc);
  }
  void on_call(const ThreadRef& by, std::uintptr_t pc, std::uintptr_t caller) override {
    if (ControlPath* path = path_of(by)) path->called(loops_, pc, caller);
  }
  void on_return(const ThreadRef& by) override {
    if (ControlPath* path = path_of(by)) path->returned();
  }
  void on_block_parked(std::uint64_t) override { settle(); }
  void on_block_end(std::uint64_t block, std::uint32_t last_interval) override;

  // In the order in which the block executed them. The steps of each thread are in program order.
  const std::vector<TraceStep>& steps();
  // True if no step of the block is missing.
  bool complete() const { return ended_ && !overflowed_; }

 private:
  void make_room(const Index3& block) {
    paths_.assign(std::size_t{block.x} * block.y * block.z, {});
    last_.assign(paths_.size(), {});
  }
  ControlPath* path_of(const ThreadRef& by) { return by.block == block_ && by.thread < paths_.size() ? &paths_[by.thread] : nullptr; }
  void take(const Access& access, bool outside);
  void piece(const Access& access, std::uint64_t first, std::uint32_t size, std::uint32_t number, bool outside);
  std::uint32_t slot_of(const Access& access, std::uint32_t size, std::uint32_t number);
  std::uint32_t slot_at(const ThreadRef& by, std::uintptr_t pc);
  TraceStep* add(TraceStep::Kind kind, std::uint32_t thread, std::uint32_t interval, std::uintptr_t pc);
  bool has_room();
  void settle();

  std::uint64_t block_;
  std::size_t most_steps_;
  LoopMap loops_;
  struct Last {
    std::uintptr_t pc = 0;  // of its latest access
    std::uint32_t interval = 0;
    bool left = false;
  };
  std::vector<ControlPath> paths_;  // of the block's threads
  std::vector<Last> last_;
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;
  std::vector<TraceStep> steps_;
  std::size_t settled_ = 0;  // writes before this one have their values
  bool ended_ = false, overflowed_ = false;
};

}  // namespace tilelab::simt
