// Records what one block does, step by step and with the values: accesses to buffers and shared arrays, the block's barriers, what
// lanes exchange, and, where not all threads reach a barrier, who waits where and who has left. It judges nothing. It records one block,
// or two beside each other in the order in which they ran. The number of steps
// is limited, and so is that of one thread, which may be in a loop that never ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/control_path.hpp"
#include "executor/observers/warp_requests.hpp"

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
  // Linear in its block; those of the second block are numbered from `beside_from`. A barrier belongs to all: it has the first number.
  std::uint32_t thread = 0;
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
  static constexpr std::uint32_t beside_from = 1024;  // no block has more threads

  TraceRecorder(std::uint64_t block, std::size_t most_steps, LoopMap loops = {}, std::optional<std::uint64_t> beside = {},
                std::uint32_t most_of_a_thread = ~0u)
      : block_(block), beside_(beside), most_steps_(most_steps), most_of_a_thread_(most_of_a_thread), loops_(std::move(loops)) {}

  bool watches(Space) const override { return true; }
  bool follows_control() const override { return true; }
  bool sees_standstills() const override { return true; }
  void on_launch_begin(const LaunchEvent&) override { threads_.assign(beside_ ? 2 * beside_from : beside_from, {}); }
  void on_block_begin(std::uint64_t block) override {
    const auto first = first_of(block);
    if (!first) return;
    for (std::uint32_t at = *first; at < *first + beside_from; ++at) {
      threads_[at].path.restart();
      threads_[at].last = {};
    }
  }
  void on_access(const Access& access) override {
    settle();
    if (const auto thread = number_of(access.by)) take(access, *thread, false);
  }
  // It is told as an access of the region that it missed. A thread's own variables are not shown.
  void on_stray(const Access& access, const Region* nearest) override {
    settle();
    const auto thread = number_of(access.by);
    if (!thread || nearest == nullptr || nearest->in_frame) return;
    Access missed = access;
    missed.region = nearest;
    take(missed, *thread, true);
  }
  void on_barrier(const BarrierEvent& event) override {
    settle();
    const auto first = first_of(event.block);
    if (first) add(TraceStep::Kind::barrier, *first, event.interval, event.pc);
  }
  // Threads that wait at one place, or have left by one statement, are shown together, whichever way they came.
  void on_standstill(const StandstillEvent& event) override {
    settle();
    for (const Standing& one : event.threads) {
      const auto thread = number_of({event.block, one.thread});
      if (!thread) continue;
      const bool left = one.where == Standing::Where::left;
      if (left && std::exchange(threads_[*thread].last.left, true)) continue;
      if (TraceStep* step = add(left ? TraceStep::Kind::leave : TraceStep::Kind::wait, *thread, event.interval, one.pc))
        step->slot = slot_at(0, one.pc * 2 + (left ? 1 : 0));
    }
  }
  void on_warp_operation(const WarpOperationEvent& event) override {
    settle();
    for (const LaneResult& lane : event.lanes) {
      const ThreadRef by{event.block, event.warp * 32 + lane.lane};
      const auto thread = number_of(by);
      if (!thread) return;
      TraceStep* step = add(TraceStep::Kind::exchange, *thread, event.interval, lane.pc);
      if (step == nullptr) return;
      step->offset = lane.source;
      step->bytes = lane.bytes;
      step->bits = lane.bytes == 0 ? 0 : lane.value;
      step->function = lane.function;
      step->type = lane.type;
      step->slot = slot_at(threads_[*thread].path.key(), lane.pc);
    }
  }
  // The call of a lane that its own mask leaves out is an exchange of its own that brings nothing.
  void on_undefined_lane(const LaneEvent& event) override {
    settle();
    const auto thread = number_of(event.by);
    if (!thread || event.why != LaneEvent::Why::mask_without_caller) return;
    if (TraceStep* step = add(TraceStep::Kind::exchange, *thread, threads_[*thread].last.interval, event.pc)) {
      step->offset = event.by.lane();
      step->function = event.function;
      step->slot = slot_at(threads_[*thread].path.key(), event.pc);
    }
  }
  void on_thread_ended(const ThreadRef& by) override {
    settle();
    const auto thread = number_of(by);
    if (!thread) return;
    const Last& last = threads_[*thread].last;
    if (TraceStep* step = add(TraceStep::Kind::stop, *thread, last.interval, last.pc)) step->slot = slot_at(0, last.pc * 2);
  }
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
  void on_block_end(std::uint64_t block, std::uint32_t) override {
    settle();
    if (first_of(block)) ++ended_;
  }

  // In the order in which they were executed. The steps of each thread are in program order.
  const std::vector<TraceStep>& steps() {
    settle();
    return steps_;
  }
  // True if no step is missing.
  bool complete() const { return ended_ == (beside_ ? 2u : 1u) && !full_ && !is_stopped_; }
  // The launch was ended while this block ran.
  void stopped_in(std::uint64_t block) { is_stopped_ = is_stopped_ || first_of(block).has_value(); }
  // The recording has stopped: there was another step, and no room for it. From then on nothing is kept.
  bool full() const { return full_; }

 private:
  // An access to several elements at once (a float4) becomes one step for each. If the parts are not whole elements, as in an array
  // of bytes that holds floats, each step is four bytes.
  static std::uint32_t part_of(const Access& access, std::uint32_t size, std::uint64_t offset) {
    const auto fits = [&](std::size_t part) { return size % part == 0 && offset % part == 0; };
    const std::size_t element = access.region->element_bytes;
    if ((element == 4 || element == 8) && fits(element)) return static_cast<std::uint32_t>(element);
    return fits(4) ? 4 : fits(2) ? 2 : 1;
  }
  static std::uint64_t bits_at(const TraceStep& step) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void*>(step.region->base + step.offset), step.bytes);
    return bits;
  }
  // The number of the block's first thread; nothing: the block is not recorded, or no longer.
  std::optional<std::uint32_t> first_of(std::uint64_t block) const {
    if (full_) return std::nullopt;
    if (block == block_) return 0;
    return beside_ && block == *beside_ ? std::optional(beside_from) : std::nullopt;
  }
  std::optional<std::uint32_t> number_of(const ThreadRef& by) const {
    const auto first = first_of(by.block);
    return first && by.thread < beside_from ? std::optional(*first + by.thread) : std::nullopt;
  }
  ControlPath* path_of(const ThreadRef& by) {
    const auto number = number_of(by);
    return number ? &threads_[*number].path : nullptr;
  }
  void take(const Access& access, std::uint32_t thread, bool outside) {
    const std::uint64_t first = access.address - access.region->base;
    each_instruction(access, [&](std::uint32_t at, std::uint32_t size, std::uint32_t number) {
      piece(access, thread, first + at, size, number, outside);
    });
  }
  void piece(const Access& access, std::uint32_t thread, std::uint64_t first, std::uint32_t size, std::uint32_t number, bool outside) {
    if (full_) return;  // an access in pieces
    const std::uint32_t part = part_of(access, size, first), wide = access.space == Space::shared && size > 4 ? 1 : 0;
    const std::uint32_t slot = slot_at(ControlPath::mix(threads_[thread].path.key(), number * 2 + wide), access.instruction);
    threads_[thread].last = {access.pc, access.interval, false};
    const TraceStep::Kind kind = outside                            ? TraceStep::Kind::outside
                                 : access.kind == AccessKind::read  ? TraceStep::Kind::read
                                 : access.kind == AccessKind::write ? TraceStep::Kind::write
                                                                    : TraceStep::Kind::atomic;
    for (std::uint32_t at = 0; at < size; at += part) {
      TraceStep* step = add(kind, thread, access.interval, access.pc);
      if (step == nullptr) return;
      step->region = access.region;
      step->offset = first + at;
      step->bytes = part;
      step->slot = slot;
      step->part = at / part;
      if (kind == TraceStep::Kind::read) step->bits = bits_at(*step);
    }
  }
  std::uint32_t slot_at(std::uint64_t path, std::uintptr_t pc) {
    return slots_.try_emplace(ControlPath::mix(path, pc), static_cast<std::uint32_t>(slots_.size())).first->second;
  }
  TraceStep* add(TraceStep::Kind kind, std::uint32_t thread, std::uint32_t interval, std::uintptr_t pc) {
    full_ = full_ || ++threads_[thread].steps > most_of_a_thread_ || steps_.size() >= most_steps_;
    if (full_) return nullptr;
    TraceStep& step = steps_.emplace_back();
    step.kind = kind;
    step.thread = thread;
    step.interval = interval;
    step.pc = pc;
    return &step;
  }
  // An access is announced before it happens. At the next event it has happened, and nothing else has.
  void settle() {
    for (; settled_ < steps_.size(); ++settled_) {
      TraceStep& step = steps_[settled_];
      if (step.kind == TraceStep::Kind::write || step.kind == TraceStep::Kind::atomic) step.bits = bits_at(step);
    }
  }

  std::uint64_t block_;
  std::optional<std::uint64_t> beside_;
  std::size_t most_steps_;
  std::uint32_t most_of_a_thread_;
  LoopMap loops_;
  struct Last {
    std::uintptr_t pc = 0;  // of its latest access
    std::uint32_t interval = 0;
    bool left = false;
  };
  struct Thread {
    ControlPath path;
    Last last;
    std::uint32_t steps = 0;
  };
  std::vector<Thread> threads_;  // by their numbers
  std::unordered_map<std::uint64_t, std::uint32_t> slots_;
  std::vector<TraceStep> steps_;
  std::size_t settled_ = 0;  // writes before this one have their values
  unsigned ended_ = 0;       // of the recorded blocks
  bool full_ = false, is_stopped_ = false;
};

}  // namespace tilelab::simt
