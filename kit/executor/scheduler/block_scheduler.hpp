// Runs the threads of one block as fibers and lets them wait for each other. It knows barriers and warp operations. It knows
// nothing of memory, findings or what the threads compute.
//
// Theory of operation. A thread runs until it waits (barrier, warp operation), spins, returns, or is ended. When no thread can
// run, the waiting ones are released. If they wait at one barrier, CUDA promises this. If they wait at different barriers, they
// are released together after a divergence event, as the hardware does. One block runs at a time. When all its threads wait at the
// grid's barrier, or the caller sees from progress() that they only wait for another block, the block's turn ends: it is put away
// with its threads and stacks, and brought back later. All blocks use the same stacks, so what lies on them is copied. Fibers are
// never unwound: a thread that was ended is never resumed again.
#pragma once

#include <boost/context/fiber.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "executor/announcer.hpp"
#include "executor/scheduler/fiber_stacks.hpp"
#include "executor/scheduler/warp_operation.hpp"

namespace tilelab::simt {

enum class BarrierReduction : std::uint8_t { none, count, all, any };

// A block that has begun and not ended, with its threads. One that was put away is only given back, to bring_back() of the scheduler that
// it comes from.
class ScheduledBlock {
 public:
  struct Running {
    ThreadRef ref;
    std::uint32_t interval = 0, warp_interval = 0;
    std::uintptr_t stack_low = 0, stack_high = 0;
  };

  ScheduledBlock() = default;
  ScheduledBlock(ScheduledBlock&&) = default;
  ScheduledBlock& operator=(ScheduledBlock&&) = default;  // what it is assigned to must be empty
  ScheduledBlock(const ScheduledBlock&) = delete;
  ScheduledBlock& operator=(const ScheduledBlock&) = delete;
  ~ScheduledBlock() {
    for (Thread& thread : threads_) {
      forget(thread.fiber);
      forget(thread.back);
    }
  }
  std::uint64_t block() const { return running_.ref.block; }
  // of memory, about
  std::size_t bytes() const {
    std::size_t bytes = threads_.size() * (sizeof(Thread) + sizeof(std::vector<unsigned char>));
    for (const auto& stack : kept_stacks_) bytes += stack.size();
    return bytes;
  }

 private:
  friend class BlockScheduler;
  enum class State : std::uint8_t { idle, ready, at_barrier, at_warp_operation, converging, asleep, exited, ended };
  struct Thread {
    boost::context::fiber fiber, back;
    State state = State::idle;
    bool started = false, waits_for_grid = false;
    std::size_t stack = 0;
    std::uintptr_t wait_pc = 0, wait_frame = 0;
    std::uintptr_t left_by = 0;  // as in AbsenceEvent
    bool is_missed = false;      // it left since the last barrier
    int predicate = 0;
    std::uint32_t warp_interval = 0;
    LaneRequest request;
    std::uint64_t result = 0;
    std::uintptr_t object = 0;  // for which it sleeps
    bool waits() const { return state == State::at_barrier || state == State::at_warp_operation; }
    bool is_gone() const { return state == State::exited || state == State::ended; }
  };

  // The destructor of a suspended fiber would unwind the submission's frames. Instead the fiber is forgotten and its stack is
  // reused.
  static void forget(boost::context::fiber& fiber) { new (&fiber) boost::context::fiber(); }

  std::vector<Thread> threads_;
  std::uint32_t count_ = 0, converging_ = 0;
  AbsenceEvent::CallPath last_barrier_{};
  Running running_;
  BarrierReduction reduction_ = BarrierReduction::none;
  int barrier_result_ = 0;
  bool exchanges_ = false;  // some thread of the block has met a warp operation
  // Of a block that was put away: what lies on its threads' stacks (empty: it has none), and the stacks that they do not use.
  std::vector<std::vector<unsigned char>> kept_stacks_;
  std::vector<std::size_t> free_stacks_;
};

class BlockScheduler : ScheduledBlock {
 public:
  using ScheduledBlock::Running;

  // `switched_in` is called each time another thread starts or continues, after running() has changed.
  BlockScheduler(const Announcer& announcer, FiberStacks& stacks, std::function<void()> switched_in)
      : announcer_(announcer), stacks_(stacks), switched_in_(std::move(switched_in)) {}

  // Why a turn was over. stuck: no thread can run, and some wait for a wake() that cannot come.
  enum class Turn : std::uint8_t { ended, at_grid_barrier, polls, stuck };

  // Runs `body` once for each thread, in turns. When several threads can run, they run in `order`, a permutation of 0 … n-1. `body` must be
  // the same function for all turns of a block.
  void begin_block(std::uint64_t block, std::uint32_t threads) {
    count_ = threads;
    if (threads_.size() < count_) threads_ = std::vector<Thread>(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      thread.state = State::ready;
      thread.started = thread.waits_for_grid = false;
      thread.warp_interval = 0;
      thread.left_by = 0;
      thread.is_missed = false;
    }
    last_barrier_ = {};
    running_ = Running{.ref = {block, 0}};
    over_ = exchanges_ = false;
    converging_ = 0;
    announcer_.announce(&Observer::on_block_begin, block);
  }
  Turn run_turn(std::span<const std::uint32_t> order, const std::function<void()>& body) {
    turn_is_over_ = false;
    while (!over_) {
      bool ran = false;
      const std::uint64_t before = progress_;
      for (const std::uint32_t thread : order) {
        if (threads_[thread].state != State::ready) continue;
        ran = true;
        resume(thread, body);
        if (over_ || turn_is_over_) break;
      }
      if (turn_is_over_ && !over_) return Turn::polls;
      if (ran && progress_ != before) continue;
      if (!over_ && release_converged()) continue;  // threads that only polled may wait for these
      if (ran) continue;
      if (std::any_of(threads_.begin(), threads_.begin() + count_, [](const Thread& t) { return t.state == State::asleep; }))
        return Turn::stuck;
      if (std::none_of(threads_.begin(), threads_.begin() + count_, [](const Thread& t) { return t.waits(); })) break;
      release_warps();
      if (std::none_of(threads_.begin(), threads_.begin() + count_, [](const Thread& t) { return t.state == State::ready; }))
        if (release_barrier(running_.ref.block)) return Turn::at_grid_barrier;
    }
    end_block();
    return Turn::ended;
  }
  // Of a block whose turn was over, and that has not ended.
  ScheduledBlock put_away() {
    kept_stacks_.resize(count_);
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Thread& thread = threads_[i];
      if (!thread.started || thread.is_gone()) continue;
      kept_stacks_[i] = stacks_.content(thread.stack, stack_pointer_of(thread.fiber));
    }
    free_stacks_ = stacks_.put_aside();
    return std::exchange(static_cast<ScheduledBlock&>(*this), {});
  }
  void bring_back(ScheduledBlock&& away) {
    static_cast<ScheduledBlock&>(*this) = std::move(away);
    stacks_.take_up(std::move(free_stacks_));
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (!kept_stacks_[i].empty()) stacks_.restore(threads_[i].stack, kept_stacks_[i]);
    }
    kept_stacks_.clear();
    over_ = false;
  }
  bool ended_some() const { return ended_some_; }  // in some block, a thread was ended
  // After Turn::stuck: the threads that wait for a wake(), the lowest thread that does not, and the end of the former.
  struct Asleep {
    std::uint32_t thread = 0;
    std::uintptr_t object = 0, pc = 0;
  };
  struct Elsewhere {
    std::uint32_t thread = 0;
    std::uintptr_t pc = 0;  // of the barrier or warp operation where it waits; 0: it has left the kernel
  };
  std::vector<Asleep> asleep() const {
    std::vector<Asleep> sleepers;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].state == State::asleep) sleepers.push_back({i, threads_[i].object, threads_[i].wait_pc});
    }
    return sleepers;
  }
  std::optional<Elsewhere> elsewhere() const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Thread& thread = threads_[i];
      if (thread.state == State::exited) return Elsewhere{i, 0};
      if (thread.waits()) return Elsewhere{i, thread.wait_pc};
    }
    return std::nullopt;
  }
  void end_sleepers() {
    tell_standstill(false);
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].state != State::asleep) continue;
      threads_[i].state = State::ended;
      ended_some_ = true;
      announcer_.announce(&Observer::on_thread_ended, ThreadRef{running_.ref.block, i});
      lane_left(i);
    }
  }

  // Only the running thread calls the following functions.
  const Running& running() const { return running_; }
  // `frame`: of the statement that calls the barrier; through it the calls around it are found. 0: it is not known.
  int barrier(std::uintptr_t pc, BarrierReduction reduction, int predicate, std::uintptr_t frame = 0) {
    Thread& thread = threads_[running_.ref.thread];
    thread.state = State::at_barrier;
    thread.wait_pc = pc;
    thread.wait_frame = frame;
    thread.left_by = 0;
    thread.predicate = predicate;
    reduction_ = reduction;
    suspend();
    return barrier_result_;
  }
  // A return statement of the kernel is about to end the running thread.
  void returns(std::uintptr_t pc) { threads_[running_.ref.thread].left_by = pc; }
  // Every block that arrives waits for all the others; its own threads wait for each other first.
  void grid_barrier(std::uintptr_t pc, std::uintptr_t frame = 0) {
    threads_[running_.ref.thread].waits_for_grid = true;
    barrier(pc, BarrierReduction::none, 0, frame);
  }
  // The running thread and its block only wait for another block.
  void end_turn() {
    turn_is_over_ = true;
    suspend();
  }
  std::uint64_t exchange(std::uintptr_t pc, const LaneRequest& request) {
    const std::uint32_t index = running_.ref.thread;
    Thread& thread = threads_[index];
    if ((request.mask & lane_bit(index)) == 0) {  // undefined: it takes part in nothing
      announcer_.announce(&Observer::on_undefined_lane, LaneEvent{running_.ref, pc, LaneEvent::Why::mask_without_caller,
                                                                  function_of(request.operation).name, request.mask, 0});
      return request.value;
    }
    thread.request = request;
    thread.wait_pc = pc;
    thread.state = State::at_warp_operation;
    exchanges_ = true;
    if (complete_warp_operation(index / 32, thread.request.mask)) {
      running_.warp_interval = thread.warp_interval;
    } else {
      suspend();
    }
    return thread.result;
  }
  // Every byte of what a shuffle brings from a lane that is not there.
  void set_undefined(std::uint8_t byte) { undefined_ = byte * 0x0101010101010101u; }
  void yield() { suspend(); }  // still ready: it runs again after the others
  // The running thread waits until another one wakes those that wait for this object.
  void sleep(std::uintptr_t object, std::uintptr_t pc) {
    Thread& thread = threads_[running_.ref.thread];
    thread.state = State::asleep;
    thread.object = object;
    thread.wait_pc = pc;
    suspend();
  }
  void wake(std::uintptr_t object) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].state == State::asleep && threads_[i].object == object) threads_[i].state = State::ready;
    }
  }
  // The running thread is never resumed.
  [[noreturn]] void end_thread() {
    threads_[running_.ref.thread].state = State::ended;
    ended_some_ = true;
    announcer_.announce(&Observer::on_thread_ended, running_.ref);
    suspend();
    std::abort();
  }
  // No other thread is resumed either: run_turn returns.
  [[noreturn]] void end_launch() {
    over_ = true;
    end_thread();
  }
  std::uint64_t progress() const { return progress_; }  // changes whenever a thread starts, waits, returns or is ended
  // Waits until no thread can run except those that wait here. Returns the lanes of its warp that have also arrived at `pc`.
  std::uint32_t converge(std::uintptr_t pc) {
    Thread& thread = threads_[running_.ref.thread];
    thread.wait_pc = pc;
    thread.state = State::converging;
    ++converging_;
    suspend();
    return static_cast<std::uint32_t>(thread.result);
  }

 private:
  static constexpr std::size_t poisoned_stack_bytes = 2048;  // a kernel's own frame, in most cases
  static constexpr int poison_of_locals = 0xFE;              // as -ftrivial-auto-var-init=pattern
  // FiberStacks owns the stacks, so Boost must not free them.
  struct BorrowedStack {
    void deallocate(boost::context::stack_context&) const {}
  };
  // A suspended fiber is one pointer to where its registers lie, at the top of its stack.
  static std::uintptr_t stack_pointer_of(const boost::context::fiber& fiber) {
    static_assert(sizeof fiber == sizeof(std::uintptr_t));
    std::uintptr_t pointer = 0;
    std::memcpy(&pointer, static_cast<const void*>(&fiber), sizeof pointer);
    return pointer;
  }
  static constexpr std::uint32_t lane_bit(std::uint32_t thread) { return 1u << (thread % 32); }

  void start(std::uint32_t index, const std::function<void()>& body) {
    Thread& thread = threads_[index];
    thread.started = true;
    ++progress_;
    thread.stack = stacks_.take();
    boost::context::stack_context stack;
    stack.sp = reinterpret_cast<void*>(stacks_.top(thread.stack));
    stack.size = stacks_.top(thread.stack) - stacks_.low(thread.stack);
    // A jump over a declaration skips the compiler's pattern: then this one is found in the kernel's frame, and no other thread's value.
    std::memset(static_cast<char*>(stack.sp) - poisoned_stack_bytes, poison_of_locals, poisoned_stack_bytes);
    forget(thread.fiber);
    thread.fiber = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), BorrowedStack{},
                                         [&thread, &body](boost::context::fiber&& back) {
                                           thread.back = std::move(back);
                                           body();
                                           thread.state = State::exited;
                                           return std::move(thread.back);
                                         });
  }
  void resume(std::uint32_t index, const std::function<void()>& body) {
    Thread& thread = threads_[index];
    if (!thread.started) start(index, body);
    running_.ref.thread = index;
    running_.warp_interval = thread.warp_interval;
    running_.stack_low = stacks_.low(thread.stack);
    running_.stack_high = stacks_.high(thread.stack);
    switched_in_();
    thread.fiber = std::move(thread.fiber).resume();
    if (thread.state != State::ready) ++progress_;
    if (thread.state == State::exited) {
      thread.is_missed = true;
      stacks_.give_back(thread.stack);
    }
    if (thread.is_gone()) lane_left(index);
  }
  void suspend() {
    Thread& thread = threads_[running_.ref.thread];
    thread.back = std::move(thread.back).resume();
  }
  // Whether somebody is waited for is asked only where somebody listens: only a launch that is traced has somebody who does. `of_warps`:
  // those lanes whose warp operation cannot complete, with the others of their warps; else all threads, if they wait at different places or
  // some have left since the last barrier.
  void tell_standstill(bool of_warps) {
    if (!announcer_.standstills_are_seen()) return;
    const auto begin = threads_.begin(), end = begin + count_;
    const auto in_operation = [](const Thread& one) { return one.state == State::at_warp_operation; };
    if (of_warps && (!exchanges_ || std::none_of(begin, end, in_operation))) return;
    bool uneven = of_warps;
    std::uintptr_t waits_at = 0;
    for (auto one = begin; one != end && !uneven; ++one) {
      if (one->state == State::exited) uneven = one->is_missed;
      if (one->state == State::asleep) uneven = true;
      if (one->state != State::at_barrier) continue;
      uneven = waits_at != 0 && waits_at != one->wait_pc;
      waits_at = one->wait_pc;
    }
    if (!uneven) return;
    std::vector<Standing> standings;
    bool somebody_waits = false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Thread& thread = threads_[i];
      if (of_warps && std::none_of(begin + i / 32 * 32, begin + std::min(i / 32 * 32 + 32, count_), in_operation)) continue;
      if (thread.state == State::exited) {
        standings.push_back({i, Standing::Where::left, thread.left_by});
      } else if (thread.waits() || thread.state == State::asleep) {
        somebody_waits = true;
        standings.push_back({i, Standing::Where::waits, thread.wait_pc});
      }
    }
    if (somebody_waits) announcer_.announce(&Observer::on_standstill, StandstillEvent{running_.ref.block, running_.interval, standings});
  }
  void tell_operation(std::uint32_t warp, std::uint32_t arrived, const std::array<std::uint64_t, 32>& results) {
    std::array<LaneResult, 32> told;
    std::size_t count = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (((arrived >> lane) & 1u) == 0) continue;
      const Thread& thread = threads_[warp * 32 + lane];
      const LaneRequest& request = thread.request;
      const bool shuffles = request.operation == WarpOperation::shuffle;
      const auto& [name, type, bytes] = function_of(request.operation);
      const std::uint32_t source = shuffles ? request.source % 32 : lane;
      const bool defined = ((arrived >> source) & 1u) != 0;
      const std::uint32_t size = !defined ? 0u : shuffles ? request.bytes : bytes;
      told[count++] = {lane, source, thread.wait_pc, name, results[lane], size, shuffles ? request.type : type};
    }
    announcer_.announce(&Observer::on_warp_operation,
                        WarpOperationEvent{running_.ref.block, warp, running_.interval, std::span<const LaneResult>(told.data(), count)});
  }
  // Each thread that left is missed once, at the first barrier behind it.
  void tell_absences(std::uint64_t block, std::uint32_t waiting, std::uint32_t present) {
    std::vector<AbsenceEvent> absences;
    for (std::uint32_t i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      if (thread.state != State::exited || !thread.is_missed) continue;
      thread.is_missed = false;
      const auto same = std::find_if(absences.begin(), absences.end(), [&](const auto& one) { return one.left_by == thread.left_by; });
      if (same == absences.end()) {
        absences.push_back(
            {{block, waiting}, {block, i}, threads_[waiting].wait_pc, thread.left_by, running_.interval, 1, present, {}, last_barrier_});
      } else {
        ++same->count;
      }
    }
    last_barrier_ = call_path(threads_[waiting]);
    for (AbsenceEvent& absence : absences) {
      absence.path = last_barrier_;
      announcer_.announce(&Observer::on_absence, absence);
    }
  }
  // Reads the stack even if a sanitizer has marked it: the thread is suspended in the frames that this follows.
  [[gnu::no_sanitize_address]] AbsenceEvent::CallPath call_path(const Thread& thread) const {
    AbsenceEvent::CallPath path{thread.wait_pc};
    const std::uintptr_t low = stacks_.low(thread.stack), high = stacks_.high(thread.stack);
    std::uintptr_t frame = thread.wait_frame;
    for (std::size_t depth = 1; depth < path.size() && frame >= low && frame + 2 * sizeof frame <= high; ++depth) {
      const auto* link = reinterpret_cast<const std::uintptr_t*>(frame);
      path[depth] = link[1];
      if (link[0] <= frame) break;
      frame = link[0];
    }
    return path;
  }
  void end_block() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      forget(threads_[i].fiber);
      forget(threads_[i].back);
    }
    stacks_.take_back_all();
    announcer_.announce(&Observer::on_block_end, running_.ref.block, running_.interval);
  }
  // Whether it was the grid's.
  bool release_barrier(std::uint64_t block) {
    tell_standstill(false);
    std::uint32_t first = count_, other = count_, exited = 0;
    int total = 0, waiting = 0;
    bool grid_wide = false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      if (thread.state == State::exited) ++exited;
      if (thread.state != State::at_barrier) continue;
      if (first == count_) first = i;
      if (other == count_ && thread.wait_pc != threads_[first].wait_pc) other = i;
      ++waiting;
      total += thread.predicate != 0 ? 1 : 0;
      thread.state = State::ready;
      thread.warp_interval = 0;
      grid_wide |= std::exchange(thread.waits_for_grid, false);
    }
    if (first == count_) return false;
    switch (reduction_) {
      case BarrierReduction::none:
      case BarrierReduction::count: barrier_result_ = total; break;
      case BarrierReduction::all: barrier_result_ = total == waiting ? 1 : 0; break;
      case BarrierReduction::any: barrier_result_ = total > 0 ? 1 : 0; break;
    }
    if (other != count_) {
      announcer_.announce(&Observer::on_divergence,
                          DivergenceEvent{{block, first}, {block, other}, threads_[first].wait_pc, threads_[other].wait_pc, false});
    }
    tell_absences(block, first, static_cast<std::uint32_t>(waiting));
    announcer_.announce(&Observer::on_barrier, BarrierEvent{block, running_.interval, threads_[first].wait_pc, exited});
    // The first thread announces the block to the others.
    if (grid_wide && threads_[0].state == State::exited)
      announcer_.announce(&Observer::on_desertion, DesertionEvent{{block, first}, {block, 0}, threads_[first].wait_pc});
    ++running_.interval;
    return grid_wide;
  }
  // Releases lanes whose warp operation can never complete, because some lane of the mask waits elsewhere.
  void release_warps() {
    tell_standstill(true);
    for (std::uint32_t i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      if (thread.state != State::at_warp_operation) continue;
      const std::uint32_t warp_first = i / 32 * 32;
      for (std::uint32_t lane = 0; lane < 32 && warp_first + lane < count_; ++lane) {
        Thread& missing = threads_[warp_first + lane];
        if (((thread.request.mask >> lane) & 1u) == 0 || !missing.waits()) continue;
        if (missing.state == State::at_warp_operation && missing.request.mask == thread.request.mask) continue;
        announcer_.announce(
            &Observer::on_divergence,
            DivergenceEvent{{running_.ref.block, i}, {running_.ref.block, warp_first + lane}, thread.wait_pc, missing.wait_pc, true});
        break;
      }
      thread.result = thread.request.value;
      thread.state = State::ready;
    }
  }
  // Lanes of a warp that wait at the same place continue together.
  bool release_converged() {
    if (converging_ == 0) return false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      if (thread.state != State::converging) continue;
      const std::uint32_t warp_first = i / 32 * 32;
      thread.result = 0;
      for (std::uint32_t lane = 0; lane < 32 && warp_first + lane < count_; ++lane) {
        const Thread& other = threads_[warp_first + lane];
        if (other.state == State::converging && other.wait_pc == thread.wait_pc) thread.result |= 1u << lane;
      }
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (threads_[i].state == State::converging) threads_[i].state = State::ready;
    }
    converging_ = 0;
    return true;
  }
  // Whether some lane of the mask has still to arrive or to leave, as far as its first and its last lane tell. Lanes mostly run in order,
  // so that one of these two comes last.
  bool one_is_missing(std::uint32_t warp, std::uint32_t mask) const {
    const std::uint32_t first = warp * 32, present = count_ - first >= 32 ? ~0u : (1u << (count_ - first)) - 1u;
    mask &= present;
    if (mask == 0) return false;
    const auto is_missing = [&](int lane) {
      const Thread& thread = threads_[first + static_cast<std::uint32_t>(lane)];
      return thread.state != State::at_warp_operation && !thread.is_gone();
    };
    return is_missing(31 - std::countl_zero(mask)) || is_missing(std::countr_zero(mask));
  }
  bool complete_warp_operation(std::uint32_t warp, std::uint32_t mask) {
    if (one_is_missing(warp, mask)) return false;
    std::array<LaneRequest, 32> lanes{};
    std::uint32_t arrived = 0, latest = 0;
    std::uintptr_t pc = 0;
    bool orders = true;
    std::uint32_t first = count_, other = count_;  // lanes that call functions of different kinds
    for (std::uint32_t lane = 0; lane < 32 && warp * 32 + lane < count_; ++lane) {
      if (((mask >> lane) & 1u) == 0) continue;
      const Thread& thread = threads_[warp * 32 + lane];
      if (thread.is_gone()) continue;
      if (thread.state != State::at_warp_operation || thread.request.mask != mask) return false;
      lanes[lane] = thread.request;
      arrived |= 1u << lane;
      if (first == count_) first = warp * 32 + lane;
      if (other == count_ && thread.request.operation != threads_[first].request.operation) other = warp * 32 + lane;
      latest = std::max(latest, thread.warp_interval);
      pc = thread.wait_pc;
      orders = orders && thread.request.operation == WarpOperation::sync;
    }
    if (arrived == 0) return false;
    if (other != count_) {
      tell_standstill(true);
      announcer_.announce(
          &Observer::on_divergence,
          DivergenceEvent{
              {running_.ref.block, first}, {running_.ref.block, other}, threads_[first].wait_pc, threads_[other].wait_pc, true});
    }
    tell_lost_sources(warp, arrived);
    const auto results = combine(lanes, arrived, undefined_);
    if (announcer_.standstills_are_seen()) tell_operation(warp, arrived, results);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (((arrived >> lane) & 1u) == 0) continue;
      Thread& thread = threads_[warp * 32 + lane];
      thread.result = results[lane];
      thread.state = State::ready;
      if (orders) thread.warp_interval = latest + 1;  // shuffles and votes do not order memory accesses
    }
    if (orders) announcer_.announce(&Observer::on_warp_sync, WarpSyncEvent{running_.ref.block, warp, arrived, latest + 1, pc});
    return true;
  }
  // A lane that a finding has ended is not the kernel's fault.
  void tell_lost_sources(std::uint32_t warp, std::uint32_t arrived) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (((arrived >> lane) & 1u) == 0) continue;
      const std::uint32_t index = warp * 32 + lane;
      const LaneRequest& request = threads_[index].request;
      const std::uint32_t source = request.source % 32, other = warp * 32 + source;
      if (request.operation != WarpOperation::shuffle || ((arrived >> source) & 1u) != 0) continue;
      const bool exists = other < count_;
      if (exists && threads_[other].state == State::ended) continue;
      // Whether a lane outside the mask has left by now depends on the threads' order.
      const bool left = ((request.mask >> source) & 1u) != 0 && exists && threads_[other].state == State::exited;
      const auto why = !exists ? LaneEvent::Why::source_does_not_exist
                       : left  ? LaneEvent::Why::source_has_left
                               : LaneEvent::Why::source_not_in_mask;
      announcer_.announce(&Observer::on_undefined_lane,
                          LaneEvent{{running_.ref.block, index}, threads_[index].wait_pc, why, "", request.mask, source});
    }
  }
  // Other lanes may have waited only for the lane that left.
  void lane_left(std::uint32_t thread) {
    if (!exchanges_) return;
    const std::uint32_t warp_first = thread / 32 * 32;
    for (std::uint32_t lane = 0; lane < 32 && warp_first + lane < count_; ++lane) {
      const Thread& waiting = threads_[warp_first + lane];
      if (waiting.state == State::at_warp_operation) complete_warp_operation(thread / 32, waiting.request.mask);
    }
  }

  const Announcer& announcer_;
  FiberStacks& stacks_;
  std::function<void()> switched_in_;
  std::uint64_t progress_ = 0, undefined_ = 0;
  bool over_ = false, turn_is_over_ = false, ended_some_ = false;
};

}  // namespace tilelab::simt
